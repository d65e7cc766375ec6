// SPDX-License-Identifier: Apache-2.0
// The user's passes. A guard is a Python function: the compiler calls it from a thread that does
// not hold the GIL.
#include "npugraph/python/passes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/python/arrays.h"
#include "npugraph/python/held.h"
#include "npugraph/python/raise.h"

namespace nb = nanobind;

namespace npugraph::python {
namespace {

/// A match as the guard sees it; of no use after the guard has returned.
class SeenMatch {
 public:
  explicit SeenMatch(PatternMatch* match) : match_(match) {}
  void close() { match_ = nullptr; }
  PatternMatch& open() const {
    if (match_ == nullptr)
      throw Raised{fail(ErrorId::kBadOption, "a match was used after its guard had returned", {},
                        "use within the guard",
                        "take what you need from the match before the guard returns")};
    return *match_;
  }

 private:
  PatternMatch* match_;
};

PatternGuard guard_of(nb::object function) {
  if (function.is_none()) return {};
  return [held = std::make_shared<HeldObject>(std::move(function))](
             PatternMatch& match) -> Result<bool> {
    const nb::gil_scoped_acquire gil;
    const auto seen = std::make_shared<SeenMatch>(&match);
    try {
      const nb::object answer = held->object()(nb::cast(seen));
      seen->close();
      const int truth = PyObject_IsTrue(answer.ptr());
      if (truth < 0) throw nb::python_error();
      return truth != 0;
    } catch (nb::python_error& error) {
      seen->close();
      error.restore();  // it passes once compiling has ended
      return fail(ErrorId::kCancelled, "compiling was ended by an exception of a guard");
    }
  };
}

nb::object type_of(const SeenMatch& seen, const std::string& word) {
  const std::optional<TensorType> type = seen.open().type(word);
  if (!type) return nb::none();
  const std::string dtype(dtype_name(type->dtype));
  return nb::make_tuple(dtype, dims_object(type->shape));
}

nb::object constant_of(const SeenMatch& seen, const std::string& word) {
  const std::optional<Tensor> data = seen.open().constant(word);
  return data ? to_numpy(*data) : nb::none();
}

nb::object attr_of(const SeenMatch& seen, const std::string& name) {
  const std::optional<AttributeValue> value = seen.open().attr(name);
  if (!value) return nb::none();
  return std::visit(
      [](const auto& held) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Tensor>)
          return to_numpy(held);
        else
          return nb::cast(held);
      },
      *value);
}

void set_constant(const SeenMatch& seen, const std::string& word, const nb::object& array,
                  const std::string& dtype, const std::vector<int64_t>& dims) {
  const auto kind = parse_dtype(dtype);
  if (!kind)
    throw Raised{
        fail(ErrorId::kBadTensor, "no such dtype", text("'", dtype, "'"), "float32, int64, …")};
  Result<Tensor> data = [&]() -> Result<Tensor> {
    NPU_LET(const ArrayView view, view_array(word, array, {*kind, Shape(dims)}, Access::kRead));
    return Tensor::copy(*kind, dims, {view.view().data, static_cast<size_t>(view.view().bytes())});
  }();
  seen.open().set_constant(word, value_or_raise(std::move(data)));
}

template <class T>
void set_attr(const SeenMatch& seen, const std::string& name, const T& value) {
  seen.open().set_attr(name, AttributeValue(value));
}

using RewriteRow = std::tuple<std::string, std::string, nb::object>;

void register_pass(const Library& library, std::string name, std::string doc,
                   const std::vector<RewriteRow>& rewrites, std::string before, int64_t level,
                   bool exact) {
  UserPass pass;
  pass.name = std::move(name);
  pass.doc = std::move(doc);
  pass.before = std::move(before);
  pass.level = level;
  pass.exact = exact;
  for (const auto& [pattern, replacement, guard] : rewrites)
    pass.rewrites.push_back({pattern, replacement, guard_of(guard)});
  value_or_raise(library.register_pass(std::move(pass)));
}

nb::list passes_list(const Library& library) {
  nb::list rows;
  for (const PassDescription& pass : library.passes())
    rows.append(nb::make_tuple(pass.name, pass.doc, pass.fuses, pass.level, pass.exact, pass.user));
  return rows;
}

}  // namespace

void bind_passes(nb::module_& module) {
  nb::class_<SeenMatch>(module, "PatternMatch")
      .def("root_name", [](const SeenMatch& seen) { return seen.open().root_name(); })
      .def("type", &type_of)
      .def("constant", &constant_of)
      .def("attr", &attr_of)
      .def("set_constant", &set_constant)
      .def("set_int", &set_attr<int64_t>)
      .def("set_float", &set_attr<double>)
      .def("set_string", &set_attr<std::string>)
      .def("set_ints", &set_attr<std::vector<int64_t>>)
      .def("set_floats", &set_attr<std::vector<double>>)
      .def("set_strings", &set_attr<std::vector<std::string>>);
  module.def("register_pass", &register_pass);
  module.def("remove_pass", [](const Library& library, const std::string& name) {
    return library.remove_pass(name);
  });
  module.def("passes", &passes_list);
}

}  // namespace npugraph::python
