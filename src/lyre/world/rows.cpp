#include "lyre/world/rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lyre/core/hash.h"

namespace lyre::inline world {

namespace {

std::uint16_t pack_yaw(float degrees) {
    const double turns = double{degrees} / 360;
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>((turns - std::floor(turns)) * 65536 + 0.5));
}

float unpack_yaw(std::uint16_t yaw) {
    return static_cast<float>(yaw) * (360.0f / 65536);
}

std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace

Transform Rows::transform(std::uint32_t row) const {
    const PlacedRow& placed = checked(row);
    return {placed.position, unpack_yaw(placed.yaw), scales_[placed.scale]};
}

const RowBlock& Rows::block_of(std::uint32_t row) const {
    checked(row);
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                        [](std::uint32_t r, const RowBlock& block) { return r < block.first; });
    return *(after - 1);
}

void Rows::set_state(std::uint32_t row, RowState state) {
    const RowState before = this->state(row);
    touched_ += (state == RowState::Touched) - (before == RowState::Touched);
    destroyed_ += (state == RowState::Destroyed) - (before == RowState::Destroyed);
    std::uint64_t& word = states_[row / kStatesPerWord];
    word ^= static_cast<std::uint64_t>(before) << (row % kStatesPerWord * 2);
    word ^= static_cast<std::uint64_t>(state) << (row % kStatesPerWord * 2);
}

std::uint32_t Rows::count(RowState state) const {
    if (state == RowState::Touched) return touched_;
    return state == RowState::Destroyed ? destroyed_ : count() - touched_ - destroyed_;
}

void Rows::reset() {
    std::fill(states_.begin(), states_.end(), 0);
    touched_ = destroyed_ = 0;
}

std::size_t Rows::bytes() const {
    return rows_.capacity() * sizeof(PlacedRow) + blocks_.capacity() * sizeof(RowBlock) +
           scales_.capacity() * sizeof(float) + states_.capacity() * sizeof(std::uint64_t) + index_.bytes();
}

Status RowBuilder::reserve(std::size_t rows) {
    if (rows > limit_) return Status::capacity("a level of {} placed actors: at most {} fit", rows, limit_);
    rows_.rows_.reserve(rows);
    return {};
}

Status RowBuilder::begin_block(const RowClass& row_class) {
    if (!(row_class.radius >= 0) || !std::isfinite(row_class.radius))
        return Status::invalid("radius {} of placed class {}: must be 0 m or more", row_class.radius, row_class.index);
    class_ = row_class;
    begun_ = true;
    return {};
}

Status RowBuilder::add(Vec3 position, float yaw, float scale) {
    LYRE_ASSERT(begun_, "say with begin_block() of which class the rows to come are");
    if (count() == limit_) return Status::capacity("placed actor {}: at most {} fit in this level", count(), limit_);
    if (!is_finite(position) || !std::isfinite(yaw))
        return Status::invalid("placed actor {}: position ({}, {}, {}), yaw {} are not all finite numbers", count(),
                               position.x, position.y, position.z, yaw);
    const float radius = class_.radius * scale;
    if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(radius))
        return Status::invalid("placed actor {}: scale {} (of radius {} m) must be above 0 and finite", count(), scale,
                               class_.radius);
    const Result<std::uint16_t> scale_index = this->scale_index(scale);
    if (!scale_index) return scale_index.status();
    open_block();
    const Vec3 without_negative_zero = position + Vec3{};  // it would be equal and yet change the hash
    rows_.rows_.push_back({without_negative_zero, pack_yaw(yaw), *scale_index});
    rows_.reach_ = std::max(rows_.reach_, radius);
    return {};
}

Result<std::uint16_t> RowBuilder::scale_index(float scale) {
    std::vector<float>& scales = rows_.scales_;
    const auto known = scale_indices_.find(scale);
    if (known != scale_indices_.end()) return known->second;
    if (scales.size() == kMaxRowScales)
        return Status::capacity(
            "placed actor {}: scale {} is one more than the {} different ones a level may have; "
            "round scales to steps",
            count(), scale, kMaxRowScales);
    const auto index = static_cast<std::uint16_t>(scales.size());
    scales.push_back(scale);
    scale_indices_.emplace(scale, index);
    return index;
}

void RowBuilder::open_block() {
    std::vector<RowBlock>& blocks = rows_.blocks_;
    if (!blocks.empty() && blocks.back().class_index == class_.index && blocks.back().radius == class_.radius &&
        stable_.back() == class_.stable)
        return;
    blocks.push_back({count(), class_.index, class_.radius});
    stable_.push_back(class_.stable);
}

Rows RowBuilder::finish() {
    rows_.rows_.shrink_to_fit();
    rows_.blocks_.shrink_to_fit();
    rows_.scales_.shrink_to_fit();
    rows_.states_.resize((rows_.rows_.size() + Rows::kStatesPerWord - 1) / Rows::kStatesPerWord);
    rows_.index_.build(rows_.rows_);
    rows_.hash_ = hash();
    Rows made = std::move(rows_);
    *this = RowBuilder(limit_);
    return made;
}

// Scales enter as a list and rows by their place in it, so that a row is two words.
std::uint64_t RowBuilder::hash() const {
    Hasher hasher;
    hasher.value(static_cast<std::uint64_t>(rows_.scales_.size()));
    for (float scale : rows_.scales_) hasher.value(scale);
    for (std::size_t block = 0; block < stable_.size(); ++block) {
        const std::uint32_t first = rows_.blocks_[block].first;
        const std::uint32_t end = block + 1 < stable_.size() ? rows_.blocks_[block + 1].first : count();
        hasher.value(stable_[block]);
        hasher.value(std::uint64_t{end - first});
        for (std::uint32_t i = first; i < end; ++i) {
            const PlacedRow& row = rows_.rows_[i];
            hasher.value(std::uint64_t{bits_of(row.position.y)} << 32 | bits_of(row.position.x));
            hasher.value(std::uint64_t{row.scale} << 48 | std::uint64_t{row.yaw} << 32 | bits_of(row.position.z));
        }
    }
    return hasher.finish();
}

}  // namespace lyre::inline world
