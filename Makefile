# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# A thin layer over CMake.
all:
	cmake -S . -B build -G Ninja && cmake --build build
.PHONY: all
