# SPDX-License-Identifier: Apache-2.0
# How every source of this repository is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# There are no modules here, and ccache caches nothing that was compiled after a scan for them.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# No NDEBUG anywhere: internal checks stay on in what ships.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
# Under a sanitizer optimising takes most of the time of a build; folders of inner loops get -O1
# back in npu_layers.cmake.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

# The prefix map keeps paths of the build machine out of messages and binaries. Contraction is off
# so that portable code gives the same bits everywhere; files of an ISA level turn it on again.
add_compile_options(-ffp-contract=off "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(NPUGRAPH_SANITIZE)
  add_compile_options(-fsanitize=${NPUGRAPH_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NPUGRAPH_SANITIZE})
endif()

set(NPU_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror
                 -Wno-psabi)  # psabi: a note on the ABI of wide vector types, which never cross files

find_program(NPU_CCACHE ccache)
mark_as_advanced(NPU_CCACHE)
if(NPU_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Relative to the source folder and without the working folder in the hash, so that every clone
  # and every build tree shares one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "${NPU_CCACHE}")
endif()

set(NPU_AVX512_FLAGS -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c
                     -mprefer-vector-width=512)

# Gives each source whose name ends in an ISA level the flags of that level.
function(npu_set_isa_flags)
  foreach(source IN LISTS ARGN)
    if(source MATCHES "_avx2\\.cpp$")
      set(flags -mavx2 -mfma -mf16c)
    elseif(source MATCHES "_avx512\\.cpp$")
      set(flags ${NPU_AVX512_FLAGS})
    else()
      continue()
    endif()
    # ISA files keep multiply and add together: that is what their instructions are for.
    set_source_files_properties("${source}" PROPERTIES
      COMPILE_OPTIONS "${flags};-ffp-contract=fast")
  endforeach()
endfunction()
