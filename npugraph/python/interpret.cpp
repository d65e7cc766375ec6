// SPDX-License-Identifier: Apache-2.0
// The reference interpreter, for tests: a model runs node by node as it is written.
#include "npugraph/python/interpret.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/python/arrays.h"
#include "npugraph/python/raise.h"

namespace nb = nanobind;

namespace npugraph::python {
namespace {

/// The arrays of a dict as tensors of their own, in port order; an input that is left out gets
/// none, and the interpreter refuses the call.
Result<std::vector<Tensor>> bind_tensors(const std::vector<PortDescription>& ports,
                                         const nb::dict& arrays) {
  std::vector<Tensor> tensors;
  for (const PortDescription& port : ports) {
    const nb::str key(port.name.c_str());
    if (!arrays.contains(key)) continue;
    NPU_LET(const ArrayView array, view_array(port.name, arrays[key], port.type, Access::kRead));
    const TensorView& view = array.view();
    NPU_LET(Tensor copy,
            Tensor::copy(view.dtype, view.dims, {view.data, static_cast<size_t>(view.bytes())}));
    tensors.push_back(std::move(copy));
  }
  return tensors;
}

/// Every value that a node of the model at `path` makes, by name; in a Loop the last one.
nb::dict interpret_model(const nb::bytes& path, const nb::dict& arrays) {
  const std::filesystem::path file(std::string_view(path.c_str(), path.size()));
  const std::vector<PortDescription> ports = value_or_raise(model_inputs(file));
  const std::vector<Tensor> inputs = value_or_raise(bind_tensors(ports, arrays));
  auto made = [&] {
    const nb::gil_scoped_release release;
    return interpret(file, inputs);
  }();
  nb::dict values;
  for (const NamedTensor& value : value_or_raise(std::move(made)))
    values[value.name.c_str()] = to_numpy(value.tensor);
  return values;
}

}  // namespace

void bind_interpret(nb::module_& module) { module.def("interpret", &interpret_model); }

}  // namespace npugraph::python
