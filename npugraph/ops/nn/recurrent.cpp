// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/recurrent.h"

#include <algorithm>
#include <array>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/reals.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

struct NamedActivation {
  std::string_view name;
  Activation apply;
};
double tanh_of(double x) { return std::tanh(x); }
double softsign_of(double x) { return x / (1 + std::abs(x)); }
constexpr std::array<NamedActivation, 5> kActivations = {{{"Relu", relu_of},
                                                          {"Sigmoid", sigmoid_of},
                                                          {"Softplus", softplus_of},
                                                          {"Softsign", softsign_of},
                                                          {"Tanh", tanh_of}}};

Activation find_activation(std::string_view name) {
  for (const NamedActivation& row : kActivations)
    if (row.name == name) return row.apply;
  return nullptr;
}

int64_t directions_of(const Attrs& attrs) {
  return attrs.str("direction") == "bidirectional" ? 2 : 1;
}

Status check_attributes(const InferContext& context, const RecurrentInputs& kind) {
  const Attrs& attrs = context.attrs;
  if (attrs.has("clip") && !(attrs.f64("clip") > 0))
    return fail(ErrorId::kBadAttribute, "attribute 'clip'", text(attrs.f64("clip")), "more than 0");
  if (!attrs.has("activations") || attrs.strings("activations").empty()) return ok();
  const Strings& names = attrs.strings("activations");
  const int64_t wanted = kind.activations * directions_of(attrs);
  if (static_cast<int64_t>(names.size()) != wanted)
    return fail(ErrorId::kBadAttribute, "number of 'activations'", text(names.size()),
                text(wanted));
  for (const std::string& name : names)
    if (find_activation(name) == nullptr)
      return fail(ErrorId::kBadAttribute, "attribute 'activations'", text("'", name, "'"),
                  "Relu | Sigmoid | Softplus | Softsign | Tanh");
  return ok();
}

Status check_shape(const InferContext& context, int64_t index, const std::vector<Dim>& wanted,
                   std::string_view what) {
  if (!context.has(index)) return ok();
  const Shape& shape = context.shape(index);
  bool fits = shape.rank() == static_cast<int64_t>(wanted.size());
  for (int64_t d = 0; fits && d < shape.rank(); ++d)
    fits = dims_equal(shape[d], wanted[at_index(d)]) != false;
  if (fits) return ok();
  return fail(ErrorId::kShapeMismatch, text("shape of ", what), shape.str(), Shape(wanted).str());
}

}  // namespace

Result<std::vector<InferOutput>> infer_recurrent(const InferContext& context,
                                                 const RecurrentInputs& kind, int64_t states) {
  NPU_TRY(check_attributes(context, kind));
  const Shape& x = context.shape(0);
  const Shape& r = context.shape(2);
  if (x.rank() != 3 || r.rank() != 3)
    return fail(ErrorId::kShapeMismatch, "ranks of X and R of a recurrent operator",
                text(x.str(), " and ", r.str()), "rank 3");
  const bool batch_first = context.attrs.flag("layout");
  const Dim steps = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1], inputs = x[2];
  const Dim hidden =
      context.attrs.has("hidden_size") ? Dim(context.attrs.i64("hidden_size")) : r[2];
  const Dim d(directions_of(context.attrs));
  const Dim rows = Dim(kind.gates) * hidden;
  NPU_TRY(check_shape(context, 1, {d, rows, inputs}, "W"));
  NPU_TRY(check_shape(context, 2, {d, rows, hidden}, "R"));
  NPU_TRY(check_shape(context, 3, {d, Dim(kind.gate_biases) * rows}, "B"));
  NPU_TRY(check_shape(context, 4, {batch}, "sequence_lens"));
  const std::vector<Dim> state =
      batch_first ? std::vector<Dim>{batch, d, hidden} : std::vector<Dim>{d, batch, hidden};
  for (int64_t s = 0; s < states; ++s)
    NPU_TRY(check_shape(context, 5 + s, state, "an initial state"));
  const Shape y = batch_first ? Shape{batch, steps, d, hidden} : Shape{steps, d, batch, hidden};
  NPU_LET(auto outputs, one_output(context.type(0).dtype, y));
  while (static_cast<int64_t>(outputs.size()) < context.output_count) {
    NPU_LET(auto more, one_output(context.type(0).dtype, Shape(state)));
    outputs.push_back(std::move(more[0]));
  }
  return outputs;
}

std::vector<AttrSchema> recurrent_attrs() {
  return {
      {.name = "activation_alpha", .kind = AttrKind::kFloats},
      {.name = "activation_beta", .kind = AttrKind::kFloats},
      {.name = "activations", .kind = AttrKind::kStrings},
      {.name = "clip", .kind = AttrKind::kFloat},
      {.name = "direction",
       .kind = AttrKind::kString,
       .fallback = std::string("forward"),
       .choices = {"forward", "reverse", "bidirectional"}},
      {.name = "hidden_size", .kind = AttrKind::kInt, .min = 1},
      {"layout", AttrKind::kInt, int64_t{0}, false, 0, 1},
  };
}

Activation activation_of(const Attrs& attrs, const RecurrentInputs& kind, int64_t direction,
                         int64_t index) {
  const bool given = attrs.has("activations") && !attrs.strings("activations").empty();
  const std::string_view name =
      given ? std::string_view(
                  attrs.strings("activations")[at_index(direction * kind.activations + index)])
            : kind.default_activations[at_index(index)];
  return find_activation(name);
}

double clip_gate(const Attrs& attrs, double x) {
  if (!attrs.has("clip")) return x;
  return clip_of(x, -attrs.f64("clip"), attrs.f64("clip"));
}

RecurrentRun::RecurrentRun(const RunContext& context)
    : batch_first(context.attrs.flag("layout")),
      context_(context),
      reverse_(context.attrs.str("direction") == "reverse"),
      x_(elements_of<double>(context.in[0])),
      w_(elements_of<double>(context.in[1])),
      r_(elements_of<double>(context.in[2])) {
  steps = context.in[0].dims[batch_first ? 1 : 0];
  batch = context.in[0].dims[batch_first ? 0 : 1];
  inputs = context.in[0].dims[2];
  directions = context.in[2].dims[0];
  hidden = context.in[2].dims[2];
}

int64_t RecurrentRun::length(int64_t n) const {
  if (!context_.has(4)) return steps;
  return std::clamp<int64_t>(context_.in[4].load_int(n), 0, steps);
}

const double* RecurrentRun::x(int64_t t, int64_t n) const {
  return x_.data() + (batch_first ? n * steps + t : t * batch + n) * inputs;
}

int64_t RecurrentRun::y_index(int64_t t, int64_t d, int64_t n) const {
  return (batch_first ? (n * steps + t) * directions + d : (t * directions + d) * batch + n) *
         hidden;
}

int64_t RecurrentRun::state_index(int64_t d, int64_t n) const {
  return (batch_first ? n * directions + d : d * batch + n) * hidden;
}

std::vector<double> RecurrentRun::state(int64_t index, int64_t d, int64_t n) const {
  std::vector<double> out(static_cast<size_t>(hidden));
  if (!context_.has(index)) return out;
  for (int64_t j = 0; j < hidden; ++j)
    out[at_index(j)] = context_.in[at_index(index)].load(state_index(d, n) + j);
  return out;
}

double RecurrentRun::dot(int64_t input, int64_t d, int64_t row, const double* values) const {
  const std::vector<double>& weights = input == 1 ? w_ : r_;
  const int64_t length = input == 1 ? inputs : hidden;
  const int64_t rows = context_.in[at_index(input)].dims[1];
  const double* line = weights.data() + (d * rows + row) * length;
  double sum = 0;
  for (int64_t k = 0; k < length; ++k) sum += line[k] * values[k];
  return sum;
}

double RecurrentRun::bias(int64_t d, int64_t index) const {
  if (!context_.has(3)) return 0;
  return context_.in[3].load(d * context_.in[3].dims[1] + index);
}

void store_row(const RunContext& context, size_t output, int64_t first,
               const std::vector<double>& values) {
  if (output >= context.out.size()) return;
  for (size_t j = 0; j < values.size(); ++j)
    context.out[output].store(first + static_cast<int64_t>(j), values[j]);
}

Work recurrent_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  const Shape& x = in[0].shape;
  const auto each =
      static_cast<double>(in[1].shape.elements().value() + in[2].shape.elements().value());
  Work work;
  work.flops = 2.0 * static_cast<double>(x[0].value()) * static_cast<double>(x[1].value()) * each;
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  for (const TensorType& type : out) work.bytes += static_cast<double>(type.bytes().value());
  return work;
}

}  // namespace npugraph::ops
