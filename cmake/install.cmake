# cmake --install: the headers of include/backedge, libbackedge, the program, and the package that find_package(Backedge)
# reads. Tested by the test find_package (tests/install).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(backedge_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Backedge)

install(DIRECTORY include/backedge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS backedge_lib EXPORT BackedgeTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET backedge)
  install(TARGETS backedge)
  # The program knows its own words best.
  add_custom_command(TARGET backedge POST_BUILD
    COMMAND backedge manual > ${PROJECT_BINARY_DIR}/backedge.1
    COMMAND backedge completion > ${PROJECT_BINARY_DIR}/backedge.bash
    VERBATIM)
  install(FILES ${PROJECT_BINARY_DIR}/backedge.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/backedge.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME backedge)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT BackedgeTargets NAMESPACE Backedge:: DESTINATION ${backedge_package_folder})

configure_package_config_file(cmake/BackedgeConfig.cmake.in ${PROJECT_BINARY_DIR}/BackedgeConfig.cmake
                              INSTALL_DESTINATION ${backedge_package_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BackedgeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BackedgeConfig.cmake ${PROJECT_BINARY_DIR}/BackedgeConfigVersion.cmake
        DESTINATION ${backedge_package_folder})
