// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "npugraph/passes/pattern.h"

// What the passes for LayerNormalization and its relatives share: the formula as exporters write
// it, and the shapes in which scale and bias come.
namespace npugraph {

/// mean(d^2) + epsilon over axes "#b", "#e" being epsilon, and d divided by the root of it: y.
inline constexpr std::string_view kMeanSquare =
    "v = Add(ReduceMean(Pow(d, 2) | Mul(d, d), #b), #e);";
inline constexpr std::string_view kOverRoot =
    "s = Sqrt(v) | Pow(v, 0.5);"
    "y = Div(d, s) | Mul(d, Reciprocal(s) | Div(1, s) | Pow(v, -0.5));";
/// d = x - mean over axes "#a".
inline constexpr std::string_view kCentred =
    "m = ReduceMean(x, #a);"
    "d = Sub(x, m);";
/// (x - m) / sqrt(v) with scale "#g" and bias "#h" as TensorFlow writes batch_normalization: y.
inline constexpr std::string_view kScaledOverRoot =
    "i = Mul(Reciprocal(Sqrt(v)) | Pow(v, -0.5), #g);"
    "y = Add(Mul(x, i), Sub(#h, Mul(m, i)));";

/// The first of the axes that constants `first` and `second` both name, when those are all the
/// trailing axes of x from there on. second may be null: not asked.
std::optional<int64_t> trailing_axis(const Shape& x, const Tensor* first, const Tensor* second);

/// Sets "$epsilon" from the constant of that word; false unless it is one number >= 0.
bool set_epsilon(Match& match, std::string_view word);

/// `data`, which is broadcast to x, as a tensor of the known dims x[axis...]; nothing when it has
/// another size along an axis before. Errors: as Tensor::zeros().
Result<std::optional<Tensor>> along_axes(const Tensor& data, const Shape& x, int64_t axis);
/// The same for one number a channel, axis 1, or one number for all: [c].
Result<std::optional<Tensor>> along_channels(const Tensor& data, const Shape& x);

/// Filled with one number. Errors: as Tensor::zeros().
Result<Tensor> filled(DType dtype, Dims dims, double number);

// Guards for a new node n with input x, constant scale "#s" and perhaps bias "#b" over trailing
// axes; they set "scale" and "bias".

/// Sets "$axis" and a scale of ones for value(word); false when a trailing dim is not known.
Result<bool> set_unit_scale(Match& match, std::string_view word, int64_t axis);
/// n times the constant "#g".
Result<bool> fold_scale(Match& match);
/// n reads c, x of a half type widened to float32 for the sums, as the operator does by itself, and
/// is narrowed again: false when scale or bias would change.
Result<bool> fold_casts(Match& match);
/// The axis attribute of n, from the front.
int64_t axis_of(const Match& match);

/// Rewrites that put a Mul or Add by channel that follows `op`, which has inputs x, scale and bias
/// by channel (GroupNormalization, InstanceNormalization), into its scale and bias.
std::vector<Rewrite> channel_affine_rewrites(const std::string& op);

}  // namespace npugraph
