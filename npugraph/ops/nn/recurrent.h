// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// What the recurrent operators share. t steps, n batch, i input size, h hidden size, d directions;
/// X [t, n, i] or, with layout 1, [n, t, i]; W [d, gates h, i], R [d, gates h, h].
namespace npugraph::ops {

struct RecurrentInputs {
  int64_t gates = 1;
  int64_t gate_biases = 2;  // B is [d, gate_biases gates h]
  int64_t activations = 1;  // functions a direction
  std::vector<std::string_view> default_activations;
};

/// Types of Y [t, d, n, h], Y_h [d, n, h] and as many more states as outputs are asked for.
/// Inputs X, W, R, B, sequence_lens, then `states` initial states. Errors: kShapeMismatch,
/// kBadAttribute.
Result<std::vector<InferOutput>> infer_recurrent(const InferContext& context,
                                                 const RecurrentInputs& kind, int64_t states);

/// The attributes activation_alpha, activation_beta, activations, clip, direction, hidden_size,
/// layout.
std::vector<AttrSchema> recurrent_attrs();

using Activation = double (*)(double);
/// Activation `index` of direction `direction`.
Activation activation_of(const Attrs& attrs, const RecurrentInputs& kind, int64_t direction,
                         int64_t index);

/// x limited to [-clip, clip] when there is a clip.
double clip_gate(const Attrs& attrs, double x);

/// Sizes and places of one run.
class RecurrentRun {
 public:
  explicit RecurrentRun(const RunContext& context);

  int64_t steps, batch, inputs, hidden, directions;
  bool batch_first;

  bool is_reverse(int64_t direction) const { return reverse_ || direction == 1; }
  /// Steps of sample n, at most `steps`.
  int64_t length(int64_t n) const;
  /// Row of X for step t of sample n: [i].
  const double* x(int64_t t, int64_t n) const;
  /// Where Y holds step t, direction d, sample n: index of its first element.
  int64_t y_index(int64_t t, int64_t d, int64_t n) const;
  /// The same for a state [d, n, h], or [n, d, h].
  int64_t state_index(int64_t d, int64_t n) const;
  /// The initial state of input `index`, zeros when it is absent.
  std::vector<double> state(int64_t index, int64_t d, int64_t n) const;
  /// sum over k of weights[row, k] * values[k], for a row of W (input 1) or R (input 2).
  double dot(int64_t input, int64_t d, int64_t row, const double* values) const;
  /// Element of B (input 3), 0 when it is absent.
  double bias(int64_t d, int64_t index) const;

 private:
  const RunContext& context_;
  bool reverse_;
  std::vector<double> x_, w_, r_;
};

/// Writes a row of h values from element `first` of an output on; nothing when it is not wanted.
void store_row(const RunContext& context, size_t output, int64_t first,
               const std::vector<double>& values);

/// 2 flops a multiply-add of both products over all steps.
Work recurrent_work(std::span<const TensorType> in, std::span<const TensorType> out,
                    const Attrs& attrs);

}  // namespace npugraph::ops
