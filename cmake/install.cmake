# What the wheel carries beside the Python package, for programs in C++: library, headers and a CMake package. No symlinks.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cosyvoiceConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(TARGETS cosyvoice_shared LIBRARY DESTINATION cosyvoice/lib COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cosyvoice DESTINATION cosyvoice/include COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/cosyvoiceConfig.cmake ${PROJECT_BINARY_DIR}/cosyvoiceConfigVersion.cmake
        DESTINATION cosyvoice/cmake COMPONENT development)
