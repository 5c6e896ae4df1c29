#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings the package of arrow.txt, which contains Arrow C++, into build/arrow. Does nothing when it is there already.
# Without a network it says so in one line: Daphne is then built without the formats of Arrow. A package with another
# content than the listed one is an error.
#   cmake/install-arrow.sh
set -euo pipefail
cd "$(dirname "$0")/.."
list=cmake/arrow.txt
target=build/arrow
log=build/arrow.log
# The Python that the list is for, whatever stands first in PATH.
python=${DAPHNE_SYSTEM_PYTHON:-/usr/bin/python3}

fail() {
    echo "install-arrow: $*" >&2
    exit 1
}

skip() {
    if [ -d "$target" ]; then
        echo "arrow: $*; keeping the one that is there"
    else
        echo "arrow: $*; building without .parquet, .arrow and .feather files"
    fi
    exit 0
}

if cmp -s "$list" "$target/installed.txt"; then
    echo "arrow: installed"
    exit 0
fi
"$python" -m pip --version >/dev/null 2>&1 || skip "$python has no pip"

package=$(sed -n 's/^\([^#= ]*\)==\([^ ]*\).*/\1 \2/p' "$list")
mkdir -p build
# Complete or not there at all, whenever this is interrupted.
fresh=$(mktemp -d build/arrow.XXXXXX)
trap 'rm -rf "$fresh"' EXIT
echo "arrow: installing $package into $target"
if ! "$python" -m pip install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 20 --no-deps \
    --only-binary :all: --require-hashes --no-compile --target "$fresh/arrow" -r "$list" >"$log" 2>&1; then
    if grep -q "DO NOT MATCH THE HASHES" "$log"; then
        cat "$log" >&2
        fail "the package is not the one that $list names"
    fi
    skip "$package could not be fetched ($log)"
fi
cp "$list" "$fresh/arrow/installed.txt"
rm -rf "$target"
mv "$fresh/arrow" "$target"
