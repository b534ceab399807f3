# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# Runs PROGRAM and compares what it prints with the file PICTURE.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE drawn RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
file(READ ${PICTURE} kept)
if(NOT drawn STREQUAL kept)
  message(FATAL_ERROR "${PROGRAM} draws something else than ${PICTURE}; if that is meant, write its output there")
endif()
