# SPDX-License-Identifier: Apache-2.0
# Entry points for people. The work is done by build.sh, CMake and the runners under test/ and bench/.

# The system's Python: the list of packages provides it, whatever else stands first in PATH.
PYTHON ?= /usr/bin/python3

.DEFAULT_GOAL := help
.PHONY: help build demo test install wheel test-wheel soak random test-sql asan tsan fuzz faults slow-link distributed-scripts stress bench bench-io bench-sched bench-dist bench-sql \
        compare lint format clean

help:  ## this list
	@echo "targets:"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-19s %s\n", $$1, $$2 }'

build:  ## install what is missing and build into bin/
	@./build.sh

demo: build  ## connected components of a co-authorship network, by a script and from Python
	@cmake/install-packages.sh demo
	@bin/daphne --statistics examples/components.daph 'graph="data/ca-GrQc.mtx"'
	@echo "the same from Python, examples/components.py:"
	@$(PYTHON) examples/components.py data/ca-GrQc.mtx

test:  ## every test suite; the last line is the sum
	@./build.sh --tests
	@$(PYTHON) test/run_all.py

PREFIX ?= /usr/local
install: build  ## the programs, libdaphne.so, headers, pkg-config file and CMake package below PREFIX=/usr/local; DESTDIR=
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX) >/dev/null
	@echo "installed below $(DESTDIR)$(PREFIX)"

wheel: build  ## dist/daphne-*.whl: the Python package with the engine inside
	@cmake/install-packages.sh wheel
	@$(PYTHON) python/wheel/build.py

test-wheel: wheel  ## the wheel under every Python that is found, and in bare Debian 12 and 11 if this is root
	@cmake/install-packages.sh bare
	@$(PYTHON) test/wheel/run.py $(if $(filter 0,$(shell id -u)),--chroot bookworm bullseye)

soak:  ## 10 000 compilations and 100 000 runs in one process: memory stays flat; what they cost
	@./build.sh --tests
	@build/release/test/soak 10000 100000

random: build  ## RANDOM=20000 random programs against the oracle, under eight sets of options, in processes that keep the engine
	@$(PYTHON) test/random/run.py --library lib/libdaphne.so --count $(or $(RANDOM),20000) --seed 1000000

test-sql: build  ## warehouse queries at scale 0.1 compared with SQLite
	@$(PYTHON) test/sql/warehouse/run.py --scale 0.1 --threads 1 2

asan:  ## every test suite under the address and undefined-behaviour sanitizers
	@./build.sh --tests --preset asan
	@$(PYTHON) test/run_all.py --preset asan

TSAN_TESTS = sched_test exec_test codegen_test dist_test library_test many_programs
tsan:  ## tests of the layers that have threads, and of programs on many threads, under the thread sanitizer
	@cmake/install-packages.sh build test
	@cmake --preset tsan >/dev/null
	@cmake --build build/tsan --target $(TSAN_TESTS)
	@$(PYTHON) test/run_all.py --preset tsan

fuzz:  ## readers of files and of messages under libFuzzer and sanitizers; FUZZ_SECONDS=90 per format
	@cmake/install-packages.sh build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --target fuzz_files fuzz_wire
	@for format in $$(ls test/fuzz/files); do \
	    mkdir -p build/fuzz/corpus/$$format && \
	    build/fuzz/test/fuzz_files --format=$$format -max_total_time=$${FUZZ_SECONDS:-90} -max_len=4096 -timeout=60 \
	        -malloc_limit_mb=1024 -artifact_prefix=build/fuzz/$$format- -print_final_stats=1 \
	        build/fuzz/corpus/$$format test/fuzz/files/$$format || exit 1; \
	done
	@for side in worker coordinator; do \
	    mkdir -p build/fuzz/corpus/$$side && \
	    build/fuzz/test/fuzz_wire --format=$$side -max_total_time=$${FUZZ_SECONDS:-90} -max_len=8192 -timeout=60 \
	        -malloc_limit_mb=1024 -artifact_prefix=build/fuzz/$$side- -print_final_stats=1 \
	        build/fuzz/corpus/$$side build/fuzz/test/wire/$$side || exit 1; \
	done

faults:  ## distributed runs while a random worker is killed, stopped or cut off, 50 times, and 10 times a rank of MPI
	@./build.sh
	@$(PYTHON) test/dist/run.py --campaign faults

slow-link:  ## distributed runs over lines of 50 ms and 100 Mbit/s beside what the lines allow; needs root
	@./build.sh
	@$(PYTHON) test/dist/run.py --campaign slow-link

distributed-scripts:  ## every script test over every transport; takes a while
	@./build.sh
	@$(PYTHON) test/dist/run.py --campaign scripts

stress:  ## a minute of parallel loops under the thread sanitizer
	@cmake --preset tsan >/dev/null
	@cmake --build build/tsan --target sched_test
	@DAPHNE_STRESS_SECONDS=60 build/tsan/test/sched_test

bench: build  ## start-up, whole algorithms beside C++ loops and libraries, schemes; BENCH="--quick" for small sizes
	@cmake/install-packages.sh bench
	@cmake --preset release >/dev/null
	@cmake --build build/release --target bench_peers
	@$(PYTHON) bench/run.py $(BENCH)

bench-io: build  ## files beside SciPy, pandas, data.table, read(2) and a reader written by hand
	@cmake/install-packages.sh bench
	@cmake --preset release >/dev/null
	@cmake --build build/release --target io_bench
	@$(PYTHON) bench/io.py $(BENCH)

bench-sched:  ## the scheduler beside OpenMP and oneTBB; schemes on unequal rows, measured and simulated, and a plot
	@cmake/install-packages.sh build bench
	@cmake --preset release >/dev/null
	@cmake --build build/release --target sched_bench sched_balance
	@build/release/bench/sched_bench
	@build/release/bench/sched_balance build/release/bench/balance.csv
	@$(PYTHON) bench/sched/plot.py build/release/bench/balance.csv build/release/bench/balance.png

bench-dist: build  ## one to four processes of one thread each beside threads: components and n-body over MPI and gRPC
	@cmake/install-packages.sh bench
	@$(PYTHON) bench/dist.py $(BENCH)

bench-sql: build  ## warehouse queries beside SQLite, pandas and DuckDB, if it is installed; BENCH="--scale 0.1" for small tables
	@cmake/install-packages.sh bench
	@$(PYTHON) bench/sql.py $(BENCH)

compare: build  ## built-ins beside NumPy and SciPy, kernels beside plain loops, the scheduler beside OpenMP and oneTBB
	@cmake/install-packages.sh bench
	@cmake --preset release >/dev/null
	@cmake --build build/release --target kernels_bench sched_bench
	@build/release/bench/kernels_bench
	@build/release/bench/sched_bench
	@$(PYTHON) bench/builtins.py

lint:  ## formatting, layers and clang-tidy
	@cmake/install-packages.sh build lint
	@$(PYTHON) test/lint.py

format:  ## reformat all C++ files in place
	@cmake/install-packages.sh lint
	@$(PYTHON) test/lint.py --fix

clean:  ## remove everything that was built
	rm -rf build bin lib dist
