# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: library, command line, Python package, headers, find_package(npugraph).
if(NOT TARGET npugraph)
  return()
endif()
include(CMakePackageConfigHelpers)

foreach(header IN LISTS NPU_INSTALLED_HEADERS)
  get_filename_component(dir "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${NPU_INCLUDE_DIR}/${dir}")
endforeach()

install(TARGETS npugraph EXPORT npugraph_targets LIBRARY DESTINATION "${NPU_LIB_DIR}")
if(TARGET npugraph_cli)
  install(TARGETS npugraph_cli RUNTIME DESTINATION "${NPU_BIN_DIR}")
endif()
if(TARGET _npugraph)
  install(TARGETS _npugraph LIBRARY DESTINATION "${NPU_PYTHON_DIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/npugraph/python/npugraph/"
          DESTINATION "${NPU_PYTHON_DIR}"
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed"
          PATTERN "__pycache__" EXCLUDE)
endif()

# For `cc x.c $(pkg-config --cflags --libs npugraph)`; it finds itself wherever the prefix is.
file(RELATIVE_PATH NPU_PC_UP "/${NPU_LIB_DIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" NPU_PC_UP "${NPU_PC_UP}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/npugraph.pc.in" "${PROJECT_BINARY_DIR}/npugraph.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/npugraph.pc" DESTINATION "${NPU_LIB_DIR}/pkgconfig")

set(package_dir "${NPU_LIB_DIR}/cmake/npugraph")
install(EXPORT npugraph_targets NAMESPACE npugraph:: FILE npugraph-targets.cmake
        DESTINATION "${package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/npugraph-config.cmake.in"
  "${PROJECT_BINARY_DIR}/npugraph-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/npugraph-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/npugraph-config.cmake"
              "${PROJECT_BINARY_DIR}/npugraph-config-version.cmake"
        DESTINATION "${package_dir}")
