# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# Headers, library, command, find_package(surefoot) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS surefoot EXPORT surefoot-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/surefoot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET surefoot-cli)
  set_target_properties(surefoot-cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS surefoot-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Beside the command, which looks for it there.
foreach(program surefoot-fbx surefoot-view)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
# The studio, where `make web` has built it: `surefoot view` looks for it there.
install(DIRECTORY ${CMAKE_BINARY_DIR}/web/ DESTINATION ${CMAKE_INSTALL_DATADIR}/surefoot/studio OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT surefoot-targets NAMESPACE surefoot:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/surefoot)
configure_package_config_file(cmake/surefootConfig.cmake.in ${CMAKE_BINARY_DIR}/surefootConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/surefoot)
# Before 1.0 a minor version may break: 0.1.x serves who asks for 0.1.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/surefootConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/surefootConfig.cmake ${CMAKE_BINARY_DIR}/surefootConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/surefoot)

if(BUILD_SHARED_LIBS)
  set(SFT_PC_CFLAGS "-DSFT_SHARED")
  set(SFT_PC_LIBS_PRIVATE "-lm")
else()
  # A static library brings its needs along, so that plain `pkg-config --libs` links.
  set(SFT_PC_LIBS "-lm")
endif()
# pcfiledir is LIBDIR/pkgconfig; with a multiarch LIBDIR the prefix is one level further up.
file(RELATIVE_PATH SFT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SFT_PC_PREFIX "${SFT_PC_PREFIX}")
configure_file(cmake/surefoot.pc.in ${CMAKE_BINARY_DIR}/surefoot.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/surefoot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
