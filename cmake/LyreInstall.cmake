# `cmake --install` puts the headers, the library and a package for find_package(lyre) below a prefix.
# A user of the package gets the target lyre::lyre, and with it fmt and threads, which the headers name, and the
# function lyre_feature.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_target_property(library_dir lyre SOURCE_DIR)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lyre)

install(DIRECTORY ${library_dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lyre FILES_MATCHING PATTERN "*.h")
install(TARGETS lyre EXPORT lyreTargets)
install(EXPORT lyreTargets NAMESPACE lyre:: DESTINATION ${package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/lyreConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/lyreConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version is another ABI, as in the library's SOVERSION.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/lyreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lyreConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/lyreConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/LyreFeature.cmake DESTINATION ${package_dir})
