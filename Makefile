# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# A thin layer over CMake; each target first brings the packages it needs (tools/install_packages.sh).
PREFIX ?= /usr/local
BUILD ?= build
FUZZ_SECONDS ?= 30

packages = @bash tools/install_packages.sh
# Ninja where it is at hand; a build folder keeps the generator it was made with.
generator = $$([ -e $(1)/CMakeCache.txt ] || ! command -v ninja >/dev/null || echo -G Ninja)
configure = @cmake -S . -B $(BUILD) $(call generator,$(BUILD)) -DCMAKE_BUILD_TYPE=Release $(1) >/dev/null
build = @cmake --build $(BUILD) --parallel $$(getconf _NPROCESSORS_ONLN)

all:
	$(packages) build
	$(configure)
	$(build) --target programs

demo:
	$(packages) demo
	$(configure)
	$(build) --target programs
	@sh examples/demo.sh $(BUILD)/bin $(BUILD)/demo

test:
	$(packages) test
	$(call configure,-DSFT_BUILD_TESTS=ON)
	$(build)
	@cd $(BUILD) && ctest --output-on-failure --parallel $$(getconf _NPROCESSORS_ONLN)

bench:
	$(packages) bench
	$(configure)
	$(build) --target programs
	@$(BUILD)/bin/surefoot-bench

# `surefoot batch` on ten thousand clips, against a shell loop (docs/batch.md). CLIPS=200 for a short look.
bench-batch:
	$(packages) bench
	$(configure)
	$(build) --target programs
	@python3 bench/batch.py --bin $(BUILD)/bin --clips $(or $(CLIPS),10000)

# Every clip of the optional data folder, cleaned and judged.
table:
	$(packages) test
	$(configure)
	$(build) --target programs
	@sh bench/table.sh

fuzz:
	$(packages) fuzz
	@cmake --preset fuzz $(call generator,build-fuzz) >/dev/null
	@cmake --build build-fuzz --parallel $$(getconf _NPROCESSORS_ONLN)
	@sh tools/run_fuzzers.sh build-fuzz $(FUZZ_SECONDS)

# The studio: build/web/index.html and what it needs, for any web host (docs/studio.md).
web:
	$(packages) web
	$(configure)
	$(build) --target programs
	@sh web/build.sh $(BUILD)/web $(BUILD)/bin

# A wheel for Debian's Python, with the library inside: build/python/surefoot-*.whl (docs/python.md).
python:
	$(packages) python
	$(configure)
	@SFT_BUILD=$(abspath $(BUILD)) sh python/wheel.sh $(BUILD)/python

# The run-time library in two files, build/runtime/surefoot_runtime.h and .c.
runtime:
	@tools/amalgamate $(BUILD)/runtime

install:
	$(packages) install
	$(configure)
	$(build) --target programs
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) build-*

.PHONY: all demo test bench bench-batch table fuzz web python runtime install clean
