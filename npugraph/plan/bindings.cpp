// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/bindings.h"

#include "npugraph/base/text.h"

namespace npugraph {

Status bind_input(const TensorType& type, const Dims& dims, Dim::Bindings& bindings) {
  const auto mismatch = [&](std::string_view what) {
    return fail(ErrorId::kShapeMismatch, std::string(what), dims_str(dims), type.shape.str());
  };
  if (!type.shape.ranked()) return ok();
  if (static_cast<int64_t>(dims.size()) != type.shape.rank()) return mismatch("wrong rank");
  for (int64_t i = 0; i < type.shape.rank(); ++i) {
    const int64_t given = dims[static_cast<size_t>(i)];
    if (given < 0) return mismatch("a dimension is negative");
    const Dim& declared = type.shape[i];
    const auto symbols = declared.symbols();
    if (symbols.size() == 1 && declared == Dim::symbol(symbols[0])) {
      const auto [entry, fresh] = bindings.emplace(symbols[0], given);
      if (!fresh && entry->second != given)
        return mismatch(
            text("dimension ", i, ", '", symbols[0], "', is ", entry->second, " elsewhere"));
      continue;
    }
    const auto expected = declared.evaluate(bindings);
    if (!expected) {
      if (expected.error().id == ErrorId::kUnknownDim) continue;  // bound by a later input
      return expected.error();
    }
    if (*expected != given) return mismatch(text("dimension ", i, " does not fit"));
  }
  return ok();
}

Result<Dims> evaluate_dims(const Shape& shape, const Dim::Bindings& bindings) {
  Dims dims;
  dims.reserve(shape.dims().size());
  for (const Dim& dim : shape.dims()) {
    NPU_LET(const int64_t value, dim.evaluate(bindings));
    if (value < 0)
      return fail(ErrorId::kShapeMismatch, "a dimension becomes negative for these inputs",
                  text(dim, " = ", value), "0 or more");
    dims.push_back(value);
  }
  return dims;
}

}  // namespace npugraph
