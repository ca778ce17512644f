# The files that `cmake --install` installs: the command, its manual pages and completions, the configurations and
# units of a deployment, and the rooms as the CMake package `muster` with their headers. This file is included
# once, when all rooms are targets (MUSTER_ROOMS).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/muster)

install(TARGETS muster)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${PROJECT_SOURCE_DIR}/apps/muster/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME muster)
# The configurations of a deployment's roles and their units, which name the command where it is installed.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/ DESTINATION ${CMAKE_INSTALL_DATADIR}/muster/deploy
        PATTERN systemd EXCLUDE)
set(units ${CMAKE_BINARY_DIR}/units)
install(CODE "
  foreach(role issuer shuffler aggregator client)
    file(READ \"${PROJECT_SOURCE_DIR}/deploy/systemd/muster-\${role}.service\" unit)
    string(REPLACE /usr/local/bin/ \"\${CMAKE_INSTALL_PREFIX}/bin/\" unit \"\${unit}\")
    file(WRITE \"${units}/muster-\${role}.service\" \"\${unit}\")
  endforeach()")
install(DIRECTORY ${units}/ DESTINATION lib/systemd/system)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Headers that only tests or the kernels of one vector target include are not part of the library.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/muster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE REGEX "_test\\.h$" EXCLUDE)
foreach(room ${MUSTER_ROOMS})
  install(TARGETS muster_${room} EXPORT muster)
endforeach()
install(EXPORT muster NAMESPACE muster:: FILE muster-targets.cmake DESTINATION ${package})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/muster-config.cmake.in ${CMAKE_BINARY_DIR}/muster-config.cmake
                              INSTALL_DESTINATION ${package})
# Before version 1, any minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/muster-config.cmake ${CMAKE_BINARY_DIR}/muster-config-version.cmake
        DESTINATION ${package})
