# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# 64-bit ARM Linux with Debian's cross compiler; programs are static, so that qemu-user runs them as they are.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
