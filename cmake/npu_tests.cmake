# SPDX-License-Identifier: Apache-2.0
# tests/<folder>/*.cpp -> test_<folder>, linked with that folder's library and what layers.txt lets
# that folder see. conformance/ tests the whole product and links api/.
include(GoogleTest)
add_custom_target(npu_tests)

function(npu_add_test folder library)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  if(NOT sources OR NOT TARGET ${library})
    return()
  endif()
  npu_set_isa_flags(${sources})
  add_executable(test_${folder} ${sources})
  # Tests run once for each time that they are compiled: optimising them does not pay.
  target_compile_options(test_${folder} PRIVATE ${NPU_WARNINGS} -O0)
  target_link_libraries(test_${folder} PRIVATE ${library} GTest::gtest_main GTest::gmock)
  target_include_directories(test_${folder} PRIVATE "${PROJECT_SOURCE_DIR}")
  add_dependencies(npu_tests test_${folder})
  set_property(GLOBAL APPEND PROPERTY NPU_TEST_PROGRAMS test_${folder})
  # Tests run in the repository's root, so that they name their data by its path there.
  gtest_discover_tests(test_${folder} TEST_PREFIX "${folder}." DISCOVERY_MODE PRE_TEST
                       WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                       DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS ${folder})
endfunction()

foreach(folder IN LISTS NPU_LIBRARY_FOLDERS)
  npu_add_test(${folder} npu_${folder})
endforeach()
if(TARGET npu_tools)
  npu_add_test(tools npu_tools)
  if(TARGET test_tools)
    target_link_libraries(test_tools PRIVATE npu_api)
  endif()
endif()
npu_add_test(conformance npu_api)

# Device plug-ins that the conformance tests load: the example, and those of tests/plugins/, which
# are broken on purpose, one a file.
function(npu_add_test_plugin name)
  add_library(test_plugin_${name} MODULE ${ARGN})
  set_target_properties(test_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test_plugins")
  target_compile_options(test_plugin_${name} PRIVATE ${NPU_WARNINGS})
  target_include_directories(test_plugin_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  add_dependencies(test_conformance test_plugin_${name})
endfunction()
if(TARGET test_conformance)
  target_compile_definitions(test_conformance PRIVATE
    "NPU_TEST_PLUGINS=\"${PROJECT_BINARY_DIR}/test_plugins\"")
  file(GLOB example CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/plugin/*.cpp")
  npu_add_test_plugin(matmulrelu ${example})
  file(GLOB broken CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/plugins/*.cpp")
  foreach(source IN LISTS broken)
    get_filename_component(name "${source}" NAME_WE)
    npu_add_test_plugin(${name} "${source}")
  endforeach()
endif()

# For dev/run_tests.py: the programs of this build tree, one a line.
get_property(programs GLOBAL PROPERTY NPU_TEST_PROGRAMS)
list(JOIN programs "\n" programs)
file(WRITE "${PROJECT_BINARY_DIR}/test_programs.txt" "${programs}\n")
