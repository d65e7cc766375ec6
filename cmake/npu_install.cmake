# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: library, command line, Python package, headers, find_package(npugraph).
if(NOT TARGET npugraph)
  return()
endif()
include(CMakePackageConfigHelpers)

# The public headers, and whatever headers those include.
function(npu_public_headers out)
  set(queue "")
  foreach(pattern IN ITEMS api/*.h hal/*.h target/*.h tensor/*.h base/*.h ops/op.h ir/*.h)
    file(GLOB found RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/npugraph/${pattern}")
    list(APPEND queue ${found})
  endforeach()
  set(done "")
  while(queue)
    list(POP_FRONT queue header)
    if(header IN_LIST done OR NOT EXISTS "${PROJECT_SOURCE_DIR}/${header}")
      continue()
    endif()
    list(APPEND done "${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 "${PROJECT_SOURCE_DIR}/${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "#include \"npugraph/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE ".*#include \"(npugraph/[^\"]+)\".*" "\\1" included "${line}")
      list(APPEND queue "${included}")
    endforeach()
  endwhile()
  set(${out} ${done} PARENT_SCOPE)
endfunction()

npu_public_headers(headers)
foreach(header IN LISTS headers)
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
