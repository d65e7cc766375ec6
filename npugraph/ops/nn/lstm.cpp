// SPDX-License-Identifier: Apache-2.0
// Long short-term memory, one layer. Gates lie in the order i, o, f, c; peepholes P in the order
// i, o, f. Steps beyond a sample's length give zeros in Y and leave its states. Source: ONNX
// LSTM-22.
#include "npugraph/base/text.h"
#include "npugraph/ops/nn/recurrent.h"

namespace npugraph::ops {
namespace {

const RecurrentInputs& kind() {
  static const RecurrentInputs kKind = {4, 2, 3, {"Sigmoid", "Tanh", "Tanh"}};
  return kKind;
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(auto outputs, infer_recurrent(context, kind(), 2));
  if (context.has(7)) {
    const Shape& p = context.shape(7);
    const Shape& r = context.shape(2);
    if (p.rank() != 2 || dims_equal(p[0], r[0]) == false ||
        dims_equal(p[1], Dim(3) * r[2]) == false)
      return fail(ErrorId::kShapeMismatch, "shape of P", p.str(),
                  text("[", r[0], ", ", Dim(3) * r[2], "]"));
  }
  return outputs;
}

/// One direction of one sample: h and c are its states, stepped in place.
struct Cell {
  const RunContext& context;
  const RecurrentRun& run;
  int64_t d;
  Activation f, g, h;

  double gate(int64_t row, const double* x, const std::vector<double>& state) const {
    const int64_t rows = 4 * run.hidden;
    return run.dot(1, d, row, x) + run.dot(2, d, row, state.data()) + run.bias(d, row) +
           run.bias(d, rows + row);
  }
  double peephole(int64_t index) const {
    return context.has(7) ? context.in[7].load(d * 3 * run.hidden + index) : 0.0;
  }
  void step(const double* x, std::vector<double>& state, std::vector<double>& cell) const {
    const int64_t n = run.hidden;
    const Attrs& attrs = context.attrs;
    const std::vector<double> before = state;
    for (int64_t j = 0; j < n; ++j) {
      double& c = cell[at_index(j)];
      const double i = f(clip_gate(attrs, gate(j, x, before) + peephole(j) * c));
      const double forget =
          attrs.flag("input_forget")
              ? 1 - i
              : f(clip_gate(attrs, gate(2 * n + j, x, before) + peephole(2 * n + j) * c));
      c = forget * c + i * g(clip_gate(attrs, gate(3 * n + j, x, before)));
      const double o = f(clip_gate(attrs, gate(n + j, x, before) + peephole(n + j) * c));
      state[at_index(j)] = o * h(c);
    }
  }
};

Status reference(const RunContext& context) noexcept {
  const RecurrentRun run(context);
  const std::vector<double> zeros(static_cast<size_t>(run.hidden));
  for (int64_t d = 0; d < run.directions; ++d) {
    const auto activation = [&](int64_t k) { return activation_of(context.attrs, kind(), d, k); };
    const Cell cell{context, run, d, activation(0), activation(1), activation(2)};
    for (int64_t n = 0; n < run.batch; ++n) {
      std::vector<double> h = run.state(5, d, n), c = run.state(6, d, n);
      const int64_t length = run.length(n);
      for (int64_t t = 0; t < length; ++t) {
        const int64_t at = run.is_reverse(d) ? length - 1 - t : t;
        cell.step(run.x(at, n), h, c);
        store_row(context, 0, run.y_index(at, d, n), h);
      }
      for (int64_t t = length; t < run.steps; ++t)
        store_row(context, 0, run.y_index(t, d, n), zeros);
      store_row(context, 1, run.state_index(d, n), h);
      store_row(context, 2, run.state_index(d, n), c);
    }
  }
  return ok();
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = recurrent_attrs();
  attrs.push_back({"input_forget", AttrKind::kInt, int64_t{0}, false, 0, 1});
  return attrs;
}

}  // namespace

OpSchema lstm() {
  return {
      .name = "LSTM",
      .op_class = OpClass::kNn,
      .doc =
          "c = sigmoid(f) * c + sigmoid(i) * tanh(z); h = sigmoid(o) * tanh(c), i o f z affine in "
          "x, h",
      .onnx = {"LSTM"},
      .aten = {"aten::lstm.input"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"W", kFloatTypes, Arity::kOne, "T"},
                 {"R", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"},
                 {"sequence_lens", types({DType::kI32}), Arity::kOptional},
                 {"initial_h", kFloatTypes, Arity::kOptional, "T"},
                 {"initial_c", kFloatTypes, Arity::kOptional, "T"},
                 {"P", kFloatTypes, Arity::kOptional, "T"}},
      .outputs = {{"Y", Arity::kOptional}, {"Y_h", Arity::kOptional}, {"Y_c", Arity::kOptional}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = recurrent_work,
  };
}

}  // namespace npugraph::ops
