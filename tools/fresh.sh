#!/bin/sh
# The proof that a bare machine is enough: for each release a Debian with nothing in it is made by debootstrap,
# the committed HEAD is cloned into it, and the README's commands are typed there. Needs root, and the network for
# the packages.
#
#   fresh.sh [RELEASE...]     bookworm and trixie unless named
#
# FRESH=folder     where the bare systems are kept for the next time; ~/.cache/lycosa-fresh
# COMMANDS=...     what is typed, one command a line, in place of the README's
# MIRROR=URL       a mirror of Debian; found in this machine's apt sources unless said
# KEEP=yes         leave the used system in FRESH/RELEASE.used, to look at it; otherwise it lies in memory if there is room
# CI               is handed on: then no test is left out
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
fresh=${FRESH:-$HOME/.cache/lycosa-fresh}
room_kilobytes=8000000
commands=${COMMANDS:-"make demo
make test
make package
.cache/package/bin/pip install --quiet '.[study]'"}

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "A chroot is made by root alone. Type: sudo make fresh"
if ! command -v debootstrap >/dev/null; then
    apt-get -qq update && apt-get -qq install --yes --no-install-recommends debootstrap >/dev/null ||
        fail "debootstrap is missing. Type: apt-get install debootstrap"
fi

# All of it happens in namespaces of its own: when this process is gone, killed or not, so are the mounts and
# whatever runs in the chroot.
[ $$ = 1 ] || exec unshare --mount --pid --fork --kill-child sh "$0" "$@"
trap 'exit 130' INT TERM HUP

# The place where this machine gets the packages with this label: mirror Debian.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Label: $1" | head -n 1
}

MIRROR=${MIRROR:-$(mirror Debian)}
[ -n "$MIRROR" ] || fail "No mirror of Debian is in this machine's apt sources. Type: make fresh MIRROR=URL"
SECURITY=${SECURITY:-$(mirror Debian-Security)}

# How this machine reaches its registries is handed on: proxies and certificates, nothing else.
hand_on_configuration() {
    root=$1
    {
        echo "deb $MIRROR $release main"
        echo "deb $MIRROR $release-updates main"
        [ -z "$SECURITY" ] || echo "deb $SECURITY $release-security main"
    } >"$root/etc/apt/sources.list"
    apt-config dump Acquire | grep -i -E '::(proxy|cainfo|verify-peer|verify-host|check-valid-until) ' \
        >"$root/etc/apt/apt.conf.d/99host" || :
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}
    if [ -n "$certificates" ]; then
        cp "$certificates" "$root/etc/host-certificates.crt"
        echo "PIP_CERT=/etc/host-certificates.crt" >"$root/etc/host-environment"
    fi
    python3 -m pip config list 2>/dev/null |
        sed -n "s/^[a-z:]*\.\(index-url\|extra-index-url\|trusted-host\|proxy\|timeout\)=/\1=/p" |
        grep -v 'file://' | while IFS='=' read -r key value; do
        echo "PIP_$(echo "$key" | tr a-z- A-Z_)=$value"
    done >>"$root/etc/host-environment"
    for name in http_proxy https_proxy no_proxy CI; do
        eval "value=\${$name:-}"
        [ -z "$value" ] || echo "$name='$value'" >>"$root/etc/host-environment"
    done
}

# A system of its own for the commands, a copy of the bare one.
make_system() {
    rm -rf --one-file-system "$used"
    mkdir "$used"
    if [ -z "${KEEP:-}" ] && [ "$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)" -gt "$room_kilobytes" ]; then
        mount -t tmpfs -o mode=755 tmpfs "$used"
    else
        mount --bind "$used" "$used" # a mount point: tests make mount namespaces of their own in it
    fi
    cp -a "$base/." "$used"
    hand_on_configuration "$used"
    git clone --quiet --no-hardlinks "$here" "$used/root/lycosa"
    write_commands >"$used/root/commands.sh"
    mount -t proc proc "$used/proc"
    mount --rbind /sys "$used/sys"
    mount --rbind /dev "$used/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$used/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$used/tmp"
    mount -t tmpfs tmpfs "$used/run"
}

type_commands() {
    chroot "$used" env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -eu -c "set -a; . /etc/host-environment; set +a; cd /root/lycosa; exec sh -eu /root/commands.sh"
}

write_commands() {
    echo 'apt-get -qq update'
    echo 'apt-get -qq install --yes --no-install-recommends make >/dev/null 2>&1'
    echo 'failures=0'
    printf '%s\n' "$commands" | while read -r command; do
        cat <<END
echo; echo "[$release] \$ $command   (load \$(cut -d' ' -f1-3 /proc/loadavg))"
began=\$(date +%s)
if $command; then ended=ok; else ended=FAILED; failures=1; fi
echo "[$release] $command: \$ended after \$((\$(date +%s) - began)) s   (load \$(cut -d' ' -f1-3 /proc/loadavg))" |
    tee -a /root/results
END
    done
    echo 'exit $failures'
}

mkdir -p "$fresh"
status=0
results=
for release in ${*:-bookworm trixie}; do
    base=$fresh/$release.base
    used=$fresh/$release.used
    if [ ! -e "$base/made" ]; then
        echo "[$release] debootstrap"
        rm -rf "$base"
        debootstrap --variant=minbase "$release" "$base" "$MIRROR" >"$fresh/$release.log" ||
            fail "debootstrap failed: see $fresh/$release.log"
        touch "$base/made"
    fi
    make_system
    type_commands || status=1
    results="$results
$(cat "$used/root/results" 2>/dev/null || echo "[$release] nothing ran")"
    umount --recursive "$used"
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$used"
done
printf '%s\n' "$results"
exit $status
