#!/bin/sh
# What this machine must have before anything can be built or tested: it is found, and what is missing
# is installed from the distribution by root or by sudo that asks for no password. Where that may not be,
# or INSTALL=no says so, the command to type is printed.
#
#   prerequisites.sh build    a supported Python with venv and headers, and a C compiler; without them nothing goes on
#   prerequisites.sh python   the path of that Python, on standard output
#   prerequisites.sh venv DIR that, and a virtual environment made with it; one of another version is replaced
#   prerequisites.sh test     what some tests need; those tests are left out without it, under CI all fails
#   prerequisites.sh test-all the same for the slow tests
#   prerequisites.sh soak     the same for the long runs
#
# PYTHON=path names the interpreter, otherwise the newest that is supported and complete is taken.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
supported="3.13 3.12 3.11"

say() { printf '%s\n' "$@" >&2; }

fail() {
    say "$@"
    exit 1
}

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || :; }

is_supported() {
    case " $supported " in
    *" ${1:-none} "*) ;;
    *) return 1 ;;
    esac
}

is_complete() {
    "$1" -c '
import ensurepip, os, sysconfig, venv
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
' 2>/dev/null
}

# The interpreters to choose from, the best first.
candidates() {
    for version in $supported; do echo "python$version"; done
    echo python3
}

complete_python() {
    for python in ${PYTHON:-$(candidates)}; do
        if is_supported "$(version_of "$python")" && is_complete "$python"; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# The version whose packages would make a Python complete: that of the one at hand, or the newest on offer.
version_to_install() {
    for python in ${PYTHON:-$(candidates)}; do
        version=$(version_of "$python")
        # Packages complete the interpreter of the distribution, no other.
        if is_supported "$version" && [ "$("$python" -c 'import sys; print(sys.base_prefix)')" = /usr ]; then
            echo "$version"
            return
        fi
    done
    for version in $supported; do
        if apt-cache show "python$version-venv" >/dev/null 2>&1; then
            echo "$version"
            return
        fi
    done
}

may_install() {
    [ "${INSTALL:-yes}" != no ] && command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" = 0 ]; then
        sudo=
    else
        sudo=sudo
        command -v sudo >/dev/null && sudo -n true 2>/dev/null
    fi
}

update() { $sudo apt-get -qq update >&2; }

# Install packages, or say how: install 'what they are for' package...
install() {
    reason=$1
    shift
    if may_install; then
        say "installing $* ($reason)"
        update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends \
            -o Dpkg::Use-Pty=0 --yes "$@" >/dev/null && return
    fi
    say "missing: $reason. Type this, or what your distribution has in its place:" \
        "" "    sudo apt-get install --no-install-recommends $*" ""
    return 1
}

compiler() { command -v "${CC:-cc}" >/dev/null; }

ensure_build() {
    python=$(complete_python) && compiler && return
    if [ -n "${PYTHON:-}" ] && ! is_supported "$(version_of "$PYTHON")"; then
        found=$(version_of "$PYTHON")
        fail "PYTHON=$PYTHON is ${found:+Python }${found:-not there}. Lycosa needs Python 3.11, 3.12 or 3.13: name one of them," \
            "or leave PYTHON out and the newest on this machine is taken."
    fi
    packages=
    if [ -z "$python" ]; then
        version=$(version_to_install)
        if [ -z "$version" ] && may_install; then
            update
            version=$(version_to_install)
        fi
        found=$(version_of python3)
        [ -n "$version" ] || fail "Lycosa needs Python 3.11, 3.12 or 3.13 with venv and headers; python3 here is ${found:-not there}." \
            "Debian 12, Debian 13 and Ubuntu 24.04 have one. Type there:" \
            "" "    sudo apt-get update && sudo apt-get install python3 python3-venv python3-dev gcc libc6-dev" "" \
            "Elsewhere install one and name it: make PYTHON=/path/to/python3.13 ..."
        packages="python$version python$version-venv python$version-dev"
    fi
    compiler || packages="$packages gcc libc6-dev"
    # shellcheck disable=SC2086
    install "Python with venv and headers, and a C compiler" $packages || exit 1
}

# Install what some tests need, or leave those tests out: for_tests 'what' 'what for' package...
for_tests() {
    what=$1
    shift
    install "$@" && return
    [ -z "${CI:-}" ] || exit 1
    say "The tests that need $what are left out and counted at the end."
}

has_postgresql() {
    for program in "${POSTGRESQL:-/usr/lib/postgresql}"/*/bin/postgres; do
        [ -x "$program" ] && return
    done
    return 1
}

# Debian's own nats-server is too old to be trusted, and a test sees it refused. It is unpacked, never installed:
# no service starts.
unpack_old_nats() {
    folder=$here/.cache/debian-nats
    [ ! -x "$folder/usr/sbin/nats-server" ] || return 0
    [ "${INSTALL:-yes}" != no ] && command -v apt-get >/dev/null || return 1
    mkdir -p "$folder"
    download_old_nats || { may_install && update && download_old_nats; }
}

download_old_nats() {
    (cd "$folder" && apt-get -qq download nats-server 2>/dev/null && dpkg -x nats-server_*.deb . && rm nats-server_*.deb)
}

ensure_test() {
    command -v chromium >/dev/null ||
        for_tests Chromium "the tests open reports in Chromium" chromium fonts-liberation
}

ensure_test_all() {
    ensure_test
    command -v strace >/dev/null || for_tests strace "a test counts system calls" strace
    has_postgresql || for_tests PostgreSQL "the tests run a PostgreSQL of their own" postgresql
    unpack_old_nats && return
    say "missing: Debian's nats-server, which a test sees refused. Type this:" \
        "" "    make test-all INSTALL=yes" ""
    [ -z "${CI:-}" ] || exit 1
    say "The tests that need Debian's nats-server are left out and counted at the end."
}

ensure_soak() {
    command -v valgrind >/dev/null || for_tests valgrind "a long test counts instructions" valgrind
}

case ${1:-} in
build) ensure_build ;;
python) complete_python ;;
venv)
    ensure_build
    python=$(complete_python)
    if [ "$(version_of "$2/bin/python")" = "$(version_of "$python")" ]; then
        "$python" -m venv "$2"
    else
        "$python" -m venv --clear "$2"
    fi
    ;;
test) ensure_test ;;
test-all) ensure_test_all ;;
soak) ensure_soak ;;
*) fail "usage: prerequisites.sh build | python | venv DIR | test | test-all | soak" ;;
esac
