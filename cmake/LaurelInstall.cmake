# What `cmake --install` puts where, and how other projects find it: find_package(laurel), then link
# laurel::laurel. Its component `calendar` is laurel::calendar, the time zones, which needs Abseil;
# laurel::laurel needs nothing.

include(CMakePackageConfigHelpers)

add_library(laurel INTERFACE)
add_library(laurel::laurel ALIAS laurel)
target_link_libraries(laurel INTERFACE laurel_api laurel_codecs)
target_compile_features(laurel INTERFACE cxx_std_20)

set(laurel_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/laurel)

install(TARGETS laurel laurel_api laurel_codecs laurel_leaderboard laurel_core laurel_base
  EXPORT laurelTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS laurel_calendar
  EXPORT laurelCalendarTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS laurel_binary RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Redis and Valkey refuse a module without the x bit, which Debian's CMake leaves out for libraries.
install(TARGETS laurel_module
  LIBRARY DESTINATION lib/redis
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(DIRECTORY include/laurel
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
foreach(targets laurelTargets laurelCalendarTargets)
  install(EXPORT ${targets}
    NAMESPACE laurel::
    DESTINATION ${laurel_package_dir})
endforeach()

configure_package_config_file(cmake/laurelConfig.cmake.in
  ${PROJECT_BINARY_DIR}/laurelConfig.cmake
  INSTALL_DESTINATION ${laurel_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laurelConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/laurelConfig.cmake
  ${PROJECT_BINARY_DIR}/laurelConfigVersion.cmake
  DESTINATION ${laurel_package_dir})
