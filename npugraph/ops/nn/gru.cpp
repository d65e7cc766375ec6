// SPDX-License-Identifier: Apache-2.0
// Gated recurrent unit, one layer. Gates lie in the order z, r, h. Steps beyond a sample's length
// give zeros in Y and leave its state. Source: ONNX GRU-22.
#include "npugraph/ops/nn/recurrent.h"

namespace npugraph::ops {
namespace {

const RecurrentInputs& kind() {
  static const RecurrentInputs kKind = {3, 2, 2, {"Sigmoid", "Tanh"}};
  return kKind;
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_recurrent(context, kind(), 1);
}

/// h = (1 - z) * candidate + z * h for one direction of one sample.
void step(const RunContext& context, const RecurrentRun& run, int64_t d, const double* x,
          std::vector<double>& state) {
  const Attrs& attrs = context.attrs;
  const Activation f = activation_of(attrs, kind(), d, 0), g = activation_of(attrs, kind(), d, 1);
  const int64_t n = run.hidden;
  const bool before_reset = attrs.flag("linear_before_reset");
  const auto gate = [&](int64_t row) {
    return f(clip_gate(attrs, run.dot(1, d, row, x) + run.dot(2, d, row, state.data()) +
                                  run.bias(d, row) + run.bias(d, 3 * n + row)));
  };
  std::vector<double> z(static_cast<size_t>(n)), r(z), reset(z);
  for (int64_t j = 0; j < n; ++j) {
    z[at_index(j)] = gate(j);
    r[at_index(j)] = gate(n + j);
    reset[at_index(j)] = r[at_index(j)] * state[at_index(j)];
  }
  std::vector<double> next(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    const size_t i = at_index(j);
    const int64_t row = 2 * n + j;
    const double recurrent_bias = run.bias(d, 3 * n + row);
    const double recurrent = before_reset
                                 ? r[i] * (run.dot(2, d, row, state.data()) + recurrent_bias)
                                 : run.dot(2, d, row, reset.data()) + recurrent_bias;
    const double candidate =
        g(clip_gate(attrs, run.dot(1, d, row, x) + run.bias(d, row) + recurrent));
    next[i] = (1 - z[i]) * candidate + z[i] * state[i];
  }
  state = std::move(next);
}

Status reference(const RunContext& context) noexcept {
  const RecurrentRun run(context);
  const std::vector<double> zeros(static_cast<size_t>(run.hidden));
  for (int64_t d = 0; d < run.directions; ++d) {
    for (int64_t n = 0; n < run.batch; ++n) {
      std::vector<double> h = run.state(5, d, n);
      const int64_t length = run.length(n);
      for (int64_t t = 0; t < length; ++t) {
        const int64_t at = run.is_reverse(d) ? length - 1 - t : t;
        step(context, run, d, run.x(at, n), h);
        store_row(context, 0, run.y_index(at, d, n), h);
      }
      for (int64_t t = length; t < run.steps; ++t)
        store_row(context, 0, run.y_index(t, d, n), zeros);
      store_row(context, 1, run.state_index(d, n), h);
    }
  }
  return ok();
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = recurrent_attrs();
  attrs.push_back({"linear_before_reset", AttrKind::kInt, int64_t{0}, false, 0, 1});
  return attrs;
}

}  // namespace

OpSchema gru() {
  return {
      .name = "GRU",
      .op_class = OpClass::kNn,
      .doc = "h = (1 - z) * tanh(W x + r * (R h)) + z * h, with z and r sigmoids affine in x and h",
      .onnx = {"GRU"},
      .aten = {"aten::gru.input"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"W", kFloatTypes, Arity::kOne, "T"},
                 {"R", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"},
                 {"sequence_lens", types({DType::kI32}), Arity::kOptional},
                 {"initial_h", kFloatTypes, Arity::kOptional, "T"}},
      .outputs = {{"Y", Arity::kOptional}, {"Y_h", Arity::kOptional}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = recurrent_work,
  };
}

}  // namespace npugraph::ops
