#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, configures and builds. See usage below.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
    cat <<'END'
usage: ./build.sh [--mpi] [--clean] [--no-deps] [--tests] [--preset NAME]

  --no-deps       do not look for missing Debian packages, nor for Arrow C++
  --tests         build the unit tests as well
  --clean         remove earlier build results first
  --preset NAME   release (default, into bin/ and lib/), dev, asan or tsan (into build/NAME/)
  --mpi           fail if the MPI transport cannot be built (without it: built if MPI is found)
  --help          this text
END
}

fail() {
    echo "build.sh: $*" >&2
    exit 1
}

install_packages=yes
clean=no
targets=(all)
packages=(build)
preset=release
need_mpi=OFF
while [ $# -gt 0 ]; do
    case "$1" in
    --mpi) need_mpi=ON ;;
    --clean) clean=yes ;;
    --no-deps) install_packages=no ;;
    --tests)
        targets=(all unit_tests)
        packages=(build test)
        ;;
    --preset)
        [ $# -gt 1 ] || fail "--preset needs a name: release, dev, asan or tsan"
        preset=$2
        shift
        ;;
    --preset=*) preset=${1#--preset=} ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "build.sh: unknown option '$1'" >&2
        usage >&2
        exit 1
        ;;
    esac
    shift
done
case "$preset" in
release | dev | asan | tsan) ;;
*) fail "no preset '$preset': release, dev, asan or tsan" ;;
esac

# The largest translation units need about 2 GB each.
count_jobs() {
    local cores memory_gb jobs
    cores=$(nproc)
    memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    jobs=$((memory_gb / 2))
    [ "$jobs" -lt "$cores" ] || jobs=$cores
    [ "$jobs" -ge 1 ] || jobs=1
    echo "$jobs"
}

if [ "$clean" = yes ]; then
    echo "clean: removing build/$preset"
    rm -rf "build/$preset"
    if [ "$preset" = release ]; then
        echo "clean: removing bin and lib"
        rm -rf bin lib
    fi
fi

if [ "$install_packages" = yes ]; then
    cmake/install-packages.sh "${packages[@]}"
    cmake/install-arrow.sh
fi

for tool in cmake ninja g++; do
    command -v "$tool" >/dev/null || fail "'$tool' is not installed; run ./build.sh without --no-deps"
done

jobs=$(count_jobs)
log="build/$preset/configure.log"
mkdir -p "build/$preset"
echo "configure: preset $preset in build/$preset"
if ! cmake --preset "$preset" -DDAPHNE_MPI="$need_mpi" >"$log" 2>&1; then
    cat "$log" >&2
    fail "configuring failed"
fi
echo "build: $jobs parallel jobs"
cmake --build "build/$preset" --parallel "$jobs" --target "${targets[@]}" || fail "building failed"
if [ "$preset" = release ]; then echo "done: bin/daphne"; else echo "done: build/$preset/bin/daphne"; fi
