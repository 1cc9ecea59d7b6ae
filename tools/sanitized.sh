#!/bin/sh
# The compiled parts under AddressSanitizer, with memory that is used again overwritten when it is released.
#
#   sanitized.sh PYTHON [TESTS …]
#
# The build lies in .cache/asan, so the usual one stays as it is. Tests of the compiled parts run on it, or the ones that are named.
set -eu
cd "$(dirname "$0")/.."
python=$1
shift
built=.cache/asan/lib

# Arrow throws across the sanitizer, which must find the C++ library before it: so that is loaded first, too.
runtimes=
for library in libasan.so libstdc++.so; do
    found=$("${CC:-gcc}" -print-file-name=$library)
    case $found in
    /*) runtimes="$runtimes $found" ;;
    *)
        echo "sanitized.sh: ${CC:-gcc} has no $library; install that of its version, or name another compiler by CC" >&2
        exit 1
        ;;
    esac
done

LYCOSA_SANITIZE=1 "$python" setup.py --quiet build --build-lib $built --build-temp .cache/asan/temp
# A module that was compiled without it would pass every test, and prove nothing.
for module in $(find $built -name '*.so'); do
    grep -q __asan_report $module || {
        echo "sanitized.sh: $module is not instrumented; remove .cache/asan and run it again" >&2
        exit 1
    }
done

[ $# -gt 0 ] || set -- tests/unit/model tests/unit/extract tests/unit/frontier tests/unit/fetch tests/unit/storage tests/unit/crawl \
    tests/unit/features tests/unit/_support tests/contract
# Python's own allocator hands out parts of large blocks, whose bounds the sanitizer does not know. Leaks are not looked for:
# the interpreter keeps what it made at its start. A process that shall die by a signal dies of it, without a report. Two tests
# that limit or measure a process's memory would find the sanitizer's own.
PYTHONPATH=$built PYTHONMALLOC=malloc LD_PRELOAD=$runtimes ASAN_OPTIONS=detect_leaks=0:handle_segv=0 \
    exec "$python" -m pytest -n auto -m "not slow and not soak and not conformance" "$@" \
    --deselect "tests/unit/_support/test_failpoints.py::test_a_marked_page_makes_its_reader_misbehave[allocate-1]" \
    --deselect tests/unit/storage/warc/test_payload_index.py::test_an_index_that_grows_finds_everything_in_little_room
