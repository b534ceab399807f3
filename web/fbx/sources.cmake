# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# The reader of FBX without assimp and zlib: for the studio, and natively for tests.
set(SFT_FBX_RECORDS_SOURCES ${CMAKE_CURRENT_LIST_DIR}/records.c ${CMAKE_CURRENT_LIST_DIR}/inflate.c
  ${PROJECT_SOURCE_DIR}/cli/text.c)
foreach(name arena ascii binary facts glb keys losses main matrix skeleton tree)
  list(APPEND SFT_FBX_RECORDS_SOURCES ${PROJECT_SOURCE_DIR}/cli/fbx/${name}.c)
endforeach()
set(SFT_FBX_RECORDS_INCLUDE ${CMAKE_CURRENT_LIST_DIR})
