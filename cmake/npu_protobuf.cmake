# SPDX-License-Identifier: Apache-2.0
# Messages: npugraph/<folder>/**/x.proto -> generated/npugraph/<folder>/**/x.pb.{h,cc}.

# Adds the command that compiles `proto` (found under `root`) and returns the .cc in `out`.
function(npu_compile_proto root proto out)
  file(STRINGS "${proto}" lite REGEX "optimize_for *= *LITE_RUNTIME")
  if(NOT lite)
    message(FATAL_ERROR "${proto}: found no 'option optimize_for = LITE_RUNTIME;', which every "
                        "message here needs: libnpugraph.so links the lite runtime only")
  endif()
  file(RELATIVE_PATH relative "${root}" "${proto}")
  string(REGEX REPLACE "\\.proto$" "" stem "${relative}")
  set(base "${NPU_GENERATED_DIR}/${stem}")
  file(MAKE_DIRECTORY "${NPU_GENERATED_DIR}")
  add_custom_command(
    OUTPUT "${base}.pb.cc" "${base}.pb.h"
    COMMAND protobuf::protoc "--cpp_out=${NPU_GENERATED_DIR}" "-I${root}" "${proto}"
    DEPENDS "${proto}" protobuf::protoc
    COMMENT "protoc ${relative}"
    VERBATIM)
  set_source_files_properties("${base}.pb.cc" PROPERTIES COMPILE_OPTIONS "-w")
  set(${out} "${base}.pb.cc" PARENT_SCOPE)
endfunction()

# The ONNX messages come from the PyPI package `onnx`. Renaming the protobuf package lets them
# share a process with the original ones.
function(npu_write_onnx_proto out)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
      "import importlib.util as u; print(u.find_spec('onnx').submodule_search_locations[0])"
    OUTPUT_VARIABLE onnx_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE failed)
  if(failed OR NOT EXISTS "${onnx_dir}/onnx-ml.proto")
    message(FATAL_ERROR "The Python package 'onnx' was not found by ${Python_EXECUTABLE}; the ONNX "
                        "messages are taken from it. Run dev/setup.sh, or pass -DPython_EXECUTABLE=")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${onnx_dir}/onnx-ml.proto")
  file(READ "${onnx_dir}/onnx-ml.proto" text)
  string(REPLACE "\npackage onnx;" "\npackage npugraph.onnx;" text "${text}")
  if(NOT text MATCHES "\noption optimize_for = LITE_RUNTIME;")
    string(APPEND text "\noption optimize_for = LITE_RUNTIME;\n")
  endif()
  set(proto "${NPU_GENERATED_DIR}/npugraph/frontends/onnx/onnx.proto")
  file(CONFIGURE OUTPUT "${proto}" CONTENT "${text}" @ONLY)
  set(${out} "${proto}" PARENT_SCOPE)
endfunction()
