#include "lyre/assets/schema.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "lyre/core/tags.h"

namespace lyre::assets {
namespace {

using Json = nlohmann::ordered_json;

std::string asset_name_pattern() {  // is_asset_name
    return fmt::format("[a-z0-9_]{{1,{}}}", kMaxAssetName);
}

Json tag_schema() {  // check_tag_text; also none
    constexpr std::string_view kPart = "[A-Za-z0-9_]+";
    return {{"type", "string"},
            {"pattern", fmt::format("^({0}(\\.{0}){{0,{1}}})?$", kPart, GameplayTag::kMaxDepth - 1)},
            {"maxLength", GameplayTag::kMaxLength}};
}

std::string described(const PropertyInfo& property) {
    std::string text = property.help;
    const auto append = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (!property.units.empty()) append(fmt::format("in {}", property.units));
    if (property.asset_type) append(fmt::format("names a {}", property.asset_type));
    if (property.class_base) append(fmt::format("names a class of {}", property.class_base));
    return text;
}

Json number_or_null(const std::string& text) {  // JSON has no infinite numbers
    Json number = Json::parse(text, nullptr, false);
    return number.is_discarded() ? Json() : number;
}

// As content writes it; null: it cannot be written as one value.
Json written(const ValueType& type, const void* value) {
    switch (type.kind) {
        case ValueKind::Bool:
        case ValueKind::Integer:
        case ValueKind::Float:
            return number_or_null(type.print(value));
        case ValueKind::Enum:
            return type.print(value);
        case ValueKind::Text:
            return *static_cast<const std::string*>(value);
        case ValueKind::Vector: {
            const auto& at = *static_cast<const Vec3*>(value);
            return number_or_null(fmt::format("[{}, {}, {}]", at.x, at.y, at.z));
        }
        case ValueKind::List: {
            Json list = Json::array();
            for (std::size_t i = 0; i < type.count(value); ++i) {
                list.push_back(written(*type.element, type.at(const_cast<void*>(value), i)));
                if (list.back().is_null()) return {};
            }
            return list;
        }
        case ValueKind::Symbol:
            return type.name == "name" && !static_cast<const Name*>(value)->is_none() ? Json(type.print(value))
                                                                                      : Json();
        case ValueKind::Record:
        case ValueKind::Part:
        case ValueKind::Node:
            break;
    }
    return {};
}

// What a key is if it is left out; null: nothing, or what its own keys say.
Json left_out(const ValueType& type, const void* value) {
    Json json = written(type, value);
    const bool is_nothing = json == "" || (json.is_array() && json.empty());
    return is_nothing ? Json() : json;
}

// Records and parts are definitions of their own, because a part may hold parts of its own kind.
class SchemaWriter {
public:
    explicit SchemaWriter(const PartKinds& kinds) : kinds_(kinds) {}

    Json file(const ContentType& type) {
        Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", type.name.text()}};
        schema.update(table(*type.type, {}));
        if (!definitions_.empty()) schema["definitions"] = definitions_;
        return schema;
    }

private:
    // `kind`: of a part, which names itself.
    Json table(const Type& type, std::string_view kind) {
        Json properties = Json::object(), required = Json::array();
        if (!kind.empty()) {
            properties["kind"] = {{"const", kind}};
            required.push_back("kind");
        }
        for (const PropertyInfo& property : type.properties) {
            if (property.is_asset_name || property.is_refused) continue;
            Json schema = value(*property.type, property);
            if (const std::string text = described(property); !text.empty()) annotate(schema, "description", text);
            if (!property.required && type.defaults != nullptr)
                if (Json json = left_out(*property.type, property.in(type.defaults)); !json.is_null())
                    annotate(schema, "default", std::move(json));
            properties[std::string(property.name.text())] = std::move(schema);
            if (property.required) required.push_back(property.name.text());
        }
        Json schema{{"type", "object"}};
        if (!type.help.empty()) schema["description"] = type.help;
        schema["properties"] = std::move(properties);
        if (!required.empty()) schema["required"] = std::move(required);
        schema["additionalProperties"] = false;
        return schema;
    }

    // What stands beside a $ref does not count in draft 7.
    static void annotate(Json& schema, const char* key, Json value) {
        if (schema.contains("$ref")) schema = {{"allOf", Json::array({schema})}};
        schema[key] = std::move(value);
    }

    Json value(const ValueType& type, const PropertyInfo& as) {
        switch (type.kind) {
            case ValueKind::Bool:
                return {{"type", "boolean"}};
            case ValueKind::Integer:
                return integer(type, as);
            case ValueKind::Float:
                return number({{"type", "number"}}, as);
            case ValueKind::Text:
                return {{"type", "string"}};
            case ValueKind::Enum:
                return one_of_names(type);
            case ValueKind::Vector:
                return {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 3}};
            case ValueKind::Symbol:
                return symbol(type, as);
            case ValueKind::List:
                return {{"type", "array"}, {"items", value(*type.element, as)}};
            case ValueKind::Record:
                return record(type);
            case ValueKind::Part:
                return part(type, as.keeps_parts);
            case ValueKind::Node:
                break;
        }
        return Json::object();
    }

    static Json integer(const ValueType& type, const PropertyInfo& as) {
        Json schema{{"type", "integer"}};
        const int bits = static_cast<int>(type.size) * 8;
        if (type.is_signed && bits < 64) schema["minimum"] = -(std::int64_t{1} << (bits - 1));
        if (!type.is_signed) schema["minimum"] = 0;
        if (bits < 64) schema["maximum"] = (std::int64_t{1} << (type.is_signed ? bits - 1 : bits)) - 1;
        return number(std::move(schema), as);
    }
    static Json number(Json schema, const PropertyInfo& as) {
        if (as.min == as.max) return schema;
        const auto bound = [&](const char* key, double value) {
            if (!std::isfinite(value)) return;
            if (schema["type"] == "integer" && std::abs(value) < 9e15)
                schema[key] = static_cast<std::int64_t>(value);
            else
                schema[key] = value;
        };
        bound("minimum", as.min);
        bound("maximum", as.max);
        return schema;
    }
    static Json one_of_names(const ValueType& type) {
        Json names = Json::array();
        for (const EnumValue& value : type.values) names.push_back(value.name.text());
        return {{"type", "string"}, {"enum", std::move(names)}};
    }
    static Json symbol(const ValueType& type, const PropertyInfo& as) {
        const auto matching = [](std::string pattern) {
            return Json{{"type", "string"}, {"pattern", std::move(pattern)}};
        };
        if (type.name == "tag") return tag_schema();
        if (type.name == "tags") return {{"type", "array"}, {"items", tag_schema()}};
        const auto asset = [&](std::string pattern) {
            return matching(as.takes_none ? fmt::format("^({})?$", pattern) : fmt::format("^{}$", pattern));
        };
        if (as.asset_type) return asset(fmt::format("({}:)?{}", as.asset_type, asset_name_pattern()));
        if (type.name == "asset_id") return asset(fmt::format("{0}:{0}", asset_name_pattern()));
        return {{"type", "string"}};
    }

    Json record(const ValueType& type) {
        const Type& record = type.record();
        const std::string name(type.name);
        if (!definitions_.contains(name)) {
            definitions_[name] = Json::object();
            Json schema = table(record, {});
            if (record.short_form) {
                const PropertyInfo& alone = *record.find_property(record.short_form);
                schema = {{"anyOf", Json::array({value(*alone.type, alone), std::move(schema)})}};
            }
            definitions_[name] = std::move(schema);
        }
        return {{"$ref", "#/definitions/" + name}};
    }
    // `keeps_others`: kinds that a feature will bring are fine.
    Json part(const ValueType& type, bool keeps_others) {
        const std::string base(type.base.text());
        const std::string name = (keeps_others ? "AnyPart_" : "Part_") + base;
        if (!definitions_.contains(name)) {
            definitions_[name] = Json::object();
            Json choices = Json::array();
            for (std::string_view kind : kinds_.kinds(type.base))
                choices.push_back(table(*kinds_.find(type.base, kind), kind));
            if (keeps_others) {
                const Json other{{"type", "string"}, {"not", {{"enum", kinds_.kinds(type.base)}}}};
                choices.push_back({{"properties", {{"kind", other}}}});
            }
            definitions_[name] = {{"type", "object"}, {"required", {"kind"}}};
            if (!choices.empty()) definitions_[name]["oneOf"] = std::move(choices);
        }
        return {{"$ref", "#/definitions/" + name}};
    }

    const PartKinds& kinds_;
    Json definitions_ = Json::object();
};

}  // namespace

std::string json_schema(const ContentType& type, const PartKinds& kinds) {
    if (type.type == nullptr) return {};
    return SchemaWriter(kinds).file(type).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string schema_file_name(const ContentType& type) {
    return fmt::format("{}.schema.json", type.name);
}

std::string schema_rule(std::string_view files, std::string_view path) {
    return fmt::format("\n[[rule]]\ninclude = [\"{}\"]\n[rule.schema]\npath = \"{}\"\n", files, path);
}

std::string schema_index(std::span<const ContentType* const> types, std::string_view folder) {
    std::string text =
        "# Written by `lyre schema`: which files follow which schema, for taplo and editors that use it.\n";
    for (const ContentType* type : types)
        if (type->type != nullptr)
            text += schema_rule(fmt::format("**/*.{}.toml", type->name),
                                fmt::format("{}/{}", folder, schema_file_name(*type)));
    return text;
}

}  // namespace lyre::assets
