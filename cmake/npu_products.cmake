# SPDX-License-Identifier: Apache-2.0
# What users get: libnpugraph.so, the command line `npugraph`, the Python module `_npugraph`.
include(GNUInstallDirs)
if(SKBUILD)  # inside a wheel everything lies in the package; command.py starts the command line
  set(NPU_PYTHON_DIR "npugraph")
  set(NPU_LIB_DIR "npugraph/lib")
  set(NPU_INCLUDE_DIR "npugraph/include")
  set(NPU_BIN_DIR "npugraph/bin")
  set(NPU_CLI_RPATH "$ORIGIN/../lib")
else()
  set(NPU_PYTHON_DIR
      "lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages/npugraph")
  set(NPU_LIB_DIR "lib")
  set(NPU_INCLUDE_DIR "${CMAKE_INSTALL_INCLUDEDIR}")
  set(NPU_BIN_DIR "${CMAKE_INSTALL_BINDIR}")
  set(NPU_CLI_RPATH "$ORIGIN/../${NPU_LIB_DIR}")
endif()

# Whole libraries go in: objects, not archives, so the linker drops nothing.
set(objects "")
set(externals "")
foreach(folder IN LISTS NPU_LIBRARY_FOLDERS)
  get_target_property(type npu_${folder} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND objects "$<TARGET_OBJECTS:npu_${folder}>")
    get_target_property(links npu_${folder} LINK_LIBRARIES)
    list(FILTER links EXCLUDE REGEX "^npu_")
    list(APPEND externals ${links})
  endif()
endforeach()
if(objects)
  list(REMOVE_DUPLICATES externals)
  add_library(npugraph SHARED ${objects})
  add_library(npugraph::npugraph ALIAS npugraph)
  set_target_properties(npugraph PROPERTIES LINKER_LANGUAGE CXX)
  if(NOT SKBUILD)  # a wheel cannot hold the symbolic links of a versioned library
    set_target_properties(npugraph PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
  target_link_libraries(npugraph PRIVATE ${externals})
  target_link_options(npugraph PRIVATE -Wl,--as-needed -Wl,--no-undefined
                                       "-Wl,--version-script=${NPU_EXPORTS}")
  set_property(TARGET npugraph APPEND PROPERTY LINK_DEPENDS "${NPU_EXPORTS}")
  target_compile_features(npugraph PUBLIC cxx_std_20)
  target_include_directories(npugraph INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                "$<INSTALL_INTERFACE:${NPU_INCLUDE_DIR}>")
  if(NPUGRAPH_SANITIZE)  # the runtime of a sanitizer is linked by the program alone
    set_target_properties(npugraph PROPERTIES EXCLUDE_FROM_ALL ON)
    target_link_options(npugraph PRIVATE -Wl,-z,undefs)
  endif()
endif()

# The faces see a little more than users do. What the library does not export of these folders is
# linked into each face once more.
set(NPU_PRIVATE_PARTS npu_metrics npu_tensor npu_base)

# All of tools/ but main() is a library, so that tests/tools can see it. It is linked to the whole
# product twice over: shared in the command line, static in the tests.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/npugraph/tools/*.cpp")
list(REMOVE_ITEM cli_sources "${PROJECT_SOURCE_DIR}/npugraph/tools/main.cpp")
if(cli_sources AND objects)
  add_library(npu_tools STATIC ${cli_sources})
  set_target_properties(npu_tools PROPERTIES CXX_VISIBILITY_PRESET hidden)
  target_compile_options(npu_tools PRIVATE ${NPU_WARNINGS})
  target_include_directories(npu_tools PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(npu_tools PUBLIC ${NPU_EXTERNAL_tools})
  add_executable(npugraph_cli "${PROJECT_SOURCE_DIR}/npugraph/tools/main.cpp")
  set_target_properties(npugraph_cli PROPERTIES
    OUTPUT_NAME npugraph CXX_VISIBILITY_PRESET hidden INSTALL_RPATH "${NPU_CLI_RPATH}")
  target_compile_options(npugraph_cli PRIVATE ${NPU_WARNINGS})
  target_link_libraries(npugraph_cli PRIVATE npu_tools npugraph ${NPU_PRIVATE_PARTS})
  if(NPUGRAPH_SANITIZE)
    set_target_properties(npugraph_cli PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/npugraph/python/*.cpp")
if(NPUGRAPH_PYTHON AND python_sources AND objects)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_package(nanobind CONFIG REQUIRED)
  nanobind_add_module(_npugraph NB_STATIC NB_SUPPRESS_WARNINGS NOMINSIZE ${python_sources})
  target_compile_options(_npugraph PRIVATE ${NPU_WARNINGS})
  target_link_libraries(_npugraph PRIVATE npugraph nlohmann_json::nlohmann_json
                                          ${NPU_PRIVATE_PARTS})
  target_link_options(_npugraph PRIVATE -Wl,--exclude-libs,ALL)
  file(RELATIVE_PATH up "/${NPU_PYTHON_DIR}" "/${NPU_LIB_DIR}")
  set_target_properties(_npugraph PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
endif()
