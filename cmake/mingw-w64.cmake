# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# 64-bit Windows with Debian's mingw-w64.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
