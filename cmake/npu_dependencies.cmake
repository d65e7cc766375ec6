# SPDX-License-Identifier: Apache-2.0
# Libraries of others, and which folder may link them. All are Debian packages (dev/apt.txt).
if(NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
if(NPUGRAPH_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(stb REQUIRED IMPORTED_TARGET stb)
if(NPUGRAPH_TESTS)
  find_package(GTest REQUIRED)
endif()

# NPU_EXTERNAL_<folder>: what that folder links beyond the folders of its line in layers.txt.
# Folders above inherit it. Protobuf goes to the folders that hold a .proto.
set(NPU_EXTERNAL_base Threads::Threads ${CMAKE_DL_LIBS} PkgConfig::xxhash
                      nlohmann_json::nlohmann_json)
set(NPU_EXTERNAL_tensor PkgConfig::libzip)
set(NPU_EXTERNAL_api PkgConfig::stb)
set(NPU_EXTERNAL_tools CLI11::CLI11 nlohmann_json::nlohmann_json PkgConfig::libzip
                       PkgConfig::stb)
