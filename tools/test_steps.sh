# test_steps.sh: what `./lyre test` runs, in order. The script at the root reads it and lends it run, logged and build.
#
#   the checks of tools/ -> everything in the preset's build through ctest -> all test programs, and `lyre play`, with the
#   address and undefined behaviour sanitizers -> the tests of threads with the thread sanitizer -> a while of random input
#
# A step that fails does not keep the next from running. The last line is the sum of all. A filter feature_NAME means the
# tests in the folder of that feature, and builds only these.

checks=(check_layers check_headers check_wasm check_sources)

# has_tests FILTER: whether a test may have it in its name, by the sources alone; nothing is built for a slip.
has_tests() {
    local name names
    [ -n "$1" ] || return 0
    if [[ $1 == feature_?* ]]; then
        [ -d "$root/game/${1#feature_}/tests" ]
        return
    fi
    names=$(
        printf '%s\n' "${checks[@]}" fuzz-content
        grep -rhoE --include='*_test.cpp' \
            '^(TEST|TEST_F|TEST_P|RC_GTEST_PROP|INSTANTIATE_TEST_SUITE_P)\([A-Za-z0-9_]+, *[A-Za-z0-9_]+' \
            "$root/tests" "$root/game" | sed -E '/^INST/ s|, *|/|; s/^.*\(//; s/, */./'
        grep -ohE '[A-Za-z0-9_]{3,}' "$root/tests/CMakeLists.txt" | sed 's/.*/&\n&_test/'
    )
    grep -qE -- "$1" <<<"$names" && return
    while IFS= read -r name; do  # names that are put together there
        ((${#name} < 6)) || [[ $1 != *"$name"* ]] || return 0
    done <<<"$names"
    return 1
}

passed=0 failed=0 results=$root/build/test
# step NAME COMMAND...: one line with result and time. What the command writes into results/NAME.xml is counted test by
# test, a command without it as one.
step() {
    local name=$1 begin=$SECONDS status good bad details
    shift
    run logged "" "$results/$name.log" "$@"
    status=$?
    { read -r good bad && details=$(cat); } < <("$root/tools/count_tests" "$status" "$results/$name")
    passed=$((passed + good)) failed=$((failed + bad))
    printf '%-32s %5d passed %3d failed %5d s\n' "$name" "$good" "$bad" $((SECONDS - begin))
    [ "$bad" = 0 ] || printf '%s\n' "$details"
}
fixed=() # sanitizers want addresses that are not too random
! setarch -R true 2>/dev/null || fixed=(setarch -R)
# The leak sanitizer of clang 14 takes some thread-local variables of libraries for what an old C library made of them,
# and breaks on that now and then; so it is told not to look there.
asan_options=intercept_tls_get_addr=0
# gtest NAME PROGRAM FILTER: in as many parts at once as there are processors.
gtest() { step "$1" in_parts "$@"; }
in_parts() {
    local part parts status=0
    parts=$(nproc)
    for ((part = 0; part < parts; ++part)); do
        env -C "$(dirname "$2")" GTEST_TOTAL_SHARDS="$parts" GTEST_SHARD_INDEX="$part" \
            ASAN_OPTIONS=$asan_options "${fixed[@]}" \
            timeout --foreground 1800 "$2" "--gtest_filter=$3" "--gtest_output=xml:$results/$1.$part.xml" &
    done
    for part in $(jobs -p); do wait "$part" || status=$?; done
    return $status
}
# fuzz NAME: some seconds of build/fuzz/fuzz/NAME_fuzz, from what fuzz/corpus/NAME has. It adds to a copy of that; what
# breaks it is left beside the logs.
fuzz() {
    local corpus=$root/build/fuzz/corpus/$1
    mkdir -p "$corpus" && cp "$root/fuzz/corpus/$1"/* "$corpus"
    step "fuzz-$1" "${fixed[@]}" timeout --foreground 300 "$root/build/fuzz/fuzz/$1_fuzz" -max_total_time=20 -timeout=5 \
        -rss_limit_mb=1024 -max_len=65536 -artifact_prefix="$results/fuzz-$1-" "$corpus"
}
# in_ctest PRESET OPTION...: more at once than there are processors, as those that take long wait for real time.
in_ctest() {
    step "ctest-$1" "${fixed[@]}" ctest --test-dir "$root/build/$1" -j $(($(nproc) + 2)) --timeout 300 --output-on-failure \
        --output-junit "$results/ctest-$1.xml" "${@:2}"
}
built() { # as build, but a failure is counted
    build "$@" || ! failed=$((failed + 1))
}
# test_feature feature_NAME: what its folder's tests say, and nothing else is built.
test_feature() {
    built "$preset" "test_$1" && in_ctest "$preset" --no-tests=error -R "^$1\$"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0))
}
test_all() {
    local name program filter=${1-} only=(--no-tests=error)
    [ -z "$filter" ] || only=(-R "$filter")
    rm -rf "$results" && mkdir -p "$results"
    if [[ $filter == feature_?* ]]; then
        test_feature "$filter"
        return
    fi
    for name in "${checks[@]}"; do
        [[ $name != *"$filter"* ]] || step "$name" "$root/tools/$name"
    done
    if built "$preset"; then
        in_ctest "$preset" "${only[@]}"
    fi
    if built asan tests; then
        while IFS= read -r program; do
            gtest "asan-${program##*/}" "$program" "*$filter*"
        done < <(find "$root/build/asan" -name 'test_*' -type f -perm -u+x | sort)
        [[ play_test != *"$filter"* || $preset = asan ]] || ASAN_OPTIONS=$asan_options in_ctest asan -R '^play_test'
    fi
    if built tsan test_threads; then
        gtest tsan-test_threads "$root/build/tsan/tests/test_threads" "*${filter:-thread}*"
    fi
    if [[ fuzz-content == *"$filter"* ]] && built fuzz content_fuzz; then
        fuzz content
    fi
    ((passed + failed)) || die 2 "no test has \"$filter\" in its name"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0))
}
