#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of the named groups of packages.txt that are not installed yet.
# Does nothing, and needs no privileges, when nothing is missing.
#   cmake/install-packages.sh build [test] [wheel] [bare] [fuzz] [lint] [bench]
set -euo pipefail
list="$(dirname "$0")/packages.txt"

fail() {
    echo "install-packages: $*" >&2
    exit 1
}

packages_of() {
    awk -v group="[$1]" '/^\[/ { inside = ($0 == group); next } /^#|^$/ { next } inside' "$list"
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

list_missing() {
    local group package
    for group in "$@"; do
        for package in $(packages_of "$group"); do
            is_installed "$package" || echo "$package"
        done
    done
}

[ $# -gt 0 ] || fail "usage: $0 group..."
for group in "$@"; do
    [ -n "$(packages_of "$group")" ] || fail "no group [$group] in $list"
done
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this is not a Debian system: install what cmake/packages.txt lists by hand, then run ./build.sh --no-deps"
fi

missing=$(list_missing "$@" | tr '\n' ' ')
if [ -z "$missing" ]; then
    echo "packages: all installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
        fail "these packages are missing, and installing them needs root or sudo: $missing"
    as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)

echo "packages: installing $missing"
"${apt[@]}" update || fail "apt-get update failed; is the network reachable?"
# shellcheck disable=SC2086 # a list of words
"${apt[@]}" install -y --no-install-recommends $missing ||
    fail "apt-get could not install: $missing(Debian 12 has all of them)"

still_missing=$(list_missing "$@" | tr '\n' ' ')
[ -z "$still_missing" ] || fail "still missing after the installation: $still_missing"
