// SPDX-License-Identifier: Apache-2.0
#include "npugraph/python/raise.h"

#include <nanobind/nanobind.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace nb = nanobind;

namespace npugraph::python {
namespace {

/// Bytes of names that are not UTF-8 are replaced: they come from files of others.
nb::object to_str(std::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void set_python_error(const Error& error) {
  const std::string fix = error.fix.empty() ? std::string(error_info(error.id).fix) : error.fix;
  const std::string id = "NPU" + std::to_string(static_cast<int>(error.id));
  const nb::object make = nb::module_::import_("npugraph.errors").attr("make_error");
  const nb::object raised =
      make(to_str(error.message()), to_str(code_name(error.code())), to_str(id), to_str(error.what),
           to_str(error.place), to_str(error.found), to_str(error.expected), to_str(fix));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
}

void translate(const std::exception_ptr& caught, void*) {
  try {
    std::rethrow_exception(caught);
  } catch (const Raised& raised) {
    set_python_error(raised.error);
  } catch (const std::bad_alloc&) {
    set_python_error(fail(ErrorId::kOutOfMemory, "memory ran out"));
  }
}

}  // namespace

void install_error_translator() { nb::register_exception_translator(translate); }

}  // namespace npugraph::python
