# SPDX-License-Identifier: Apache-2.0
# What is public: the headers that are installed, and the names that libnpugraph.so exports, which
# are what those headers declare.

# The headers that users include; those that they include in turn follow by themselves.
set(NPU_PUBLIC_HEADERS
    npugraph/api/npugraph.h          # C++
    npugraph/api/npugraph_c.h        # C
    npugraph/hal/plugin_abi.h        # device plug-ins, run side
    npugraph/target/plugin_abi.h)    # device plug-ins, compile side

# The public headers and all that they include.
function(npu_find_public_headers out)
  set(queue ${NPU_PUBLIC_HEADERS})
  set(done "")
  while(queue)
    list(POP_FRONT queue header)
    if(header IN_LIST done)
      continue()
    endif()
    list(APPEND done "${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 "${PROJECT_SOURCE_DIR}/${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^ *#include \"npugraph/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE ".*#include \"(npugraph/[^\"]+)\".*" "\\1" included "${line}")
      list(APPEND queue "${included}")
    endforeach()
  endwhile()
  set(${out} ${done} PARENT_SCOPE)
endfunction()

# Writes the linker's version script `script`. clang-format puts what a header declares in the
# namespace at the start of a line and members behind blanks, so that lines tell one from the other.
function(npu_write_exports script)
  # check_failed() has an attribute before it, operators are friends inside their class.
  set(patterns "npugraph::check_failed*\nnpugraph::operator*\n")
  foreach(header IN LISTS ARGN)
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines ENCODING UTF-8
         REGEX "^(class|struct) +[A-Z][A-Za-z]* |^[A-Za-z].*[ &*][a-z][a-z_]*\\(")
    foreach(line IN LISTS lines)
      if(line MATCHES "^(class|struct) +([A-Z][A-Za-z]*) ")
        set(type "npugraph::${CMAKE_MATCH_2}")
        string(APPEND patterns "${type}::*\nvtable?for?${type}\ntypeinfo?for?${type}\n"
                               "typeinfo?name?for?${type}\n")
      elseif(line MATCHES "^(extern|typedef|using|template|enum|namespace|inline|constexpr) ")
        continue()
      elseif(line MATCHES "[ &*]([a-z][a-z_]*)\\(")
        # A '(' or "[abi:cxx11](" follows, neither of which the linker's patterns can name.
        string(APPEND patterns "npugraph::${CMAKE_MATCH_1}[!a-zA-Z_0-9]*\n")
      endif()
    endforeach()
  endforeach()
  string(REPLACE "\n" ";\n    " patterns "${patterns}")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT "\
{
  global:
  npugraph_*;
  extern \"C++\" {
    ${patterns}
  };
  local: *;
};
")
endfunction()

npu_find_public_headers(NPU_INSTALLED_HEADERS)
set(NPU_EXPORTS "${PROJECT_BINARY_DIR}/npugraph_exports.map")
npu_write_exports("${NPU_EXPORTS}" ${NPU_INSTALLED_HEADERS})
