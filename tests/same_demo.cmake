# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# Runs the demo of SOURCE with the programs in BIN and compares its pictures with those of docs/images.
execute_process(COMMAND sh ${SOURCE}/examples/demo.sh ${BIN} ${OUT} OUTPUT_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the demo ended with ${result}")
endif()
foreach(pair picture:clean retarget:retarget)
  string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
  file(READ ${OUT}/${CMAKE_MATCH_1}.svg drawn)
  set(picture docs/images/${CMAKE_MATCH_2}.svg)
  file(READ ${SOURCE}/${picture} kept)
  if(NOT drawn STREQUAL kept)
    message(FATAL_ERROR "the demo draws something else than ${picture}; if that is meant: cp ${OUT}/${CMAKE_MATCH_1}.svg ${SOURCE}/${picture}")
  endif()
endforeach()
