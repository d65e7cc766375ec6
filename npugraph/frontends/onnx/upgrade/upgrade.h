// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/frontends/onnx/emitter.h"

namespace npugraph::onnx {

/// A node of the file on its way in. An upgrade changes it in place to what the newest opset would
/// have said, and may emit helper nodes that run before it.
struct Call {
  std::string domain;  // empty: ai.onnx
  std::string op;
  int64_t opset = 0;
  std::vector<Value*> inputs;  // null: an absent optional input
  Attrs attrs;
  std::vector<std::string> outputs;  // empty: an absent optional output

  Value* input(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
  void set_input(size_t index, Value* value) {
    if (inputs.size() <= index) inputs.resize(index + 1, nullptr);
    inputs[index] = value;
  }
};

/// One change of an operator's form. Rows of one operator stand in order of opset and apply one
/// after the other.
struct Upgrade {
  std::string_view domain;
  std::string_view op;
  int64_t last_opset;        // the newest opset that still has the old form
  std::string_view becomes;  // operator of ai.onnx that it turns into; empty: keeps its name
  Status (*apply)(Call&, Emitter&);
};

/// All rows, ordered as they apply.
std::span<const Upgrade> upgrades();

/// Applies every row that fits. Errors: kOnnxAttribute (a form that has no equivalent today), and
/// those of the operators that are emitted.
Status upgrade(Call& call, Emitter& emitter);

/// Domain and name of the operator of ours that a node of this opset turns into; null when we have
/// none.
const OpSchema* target_op(std::string_view domain, std::string_view op, int64_t opset);

/// What makes a Reshape of x the matrix Flatten(x, axis).
struct FlatTarget {
  Value* shape = nullptr;
  int64_t allowzero = 0;
};
/// Errors: kAxisOutsideRank, where the rank is known.
Result<FlatTarget> flatten_target(Emitter& emitter, Value* x, int64_t axis);

// The rows' functions, by file. Sources of all: the ONNX operator changelog, the named versions.
// upgrade/axes.cpp
Status axes_to_input(Call& call, Emitter& emitter);         // Squeeze, Unsqueeze, Reduce*
Status split_sizes_to_input(Call& call, Emitter& emitter);  // Split 2, 11
Status split_count(Call& call, Emitter& emitter);           // Split 13: num_outputs
Status slice_to_inputs(Call& call, Emitter& emitter);       // Slice 1
Status top_k_to_input(Call& call, Emitter& emitter);        // TopK 1
Status dft_axis_to_input(Call& call, Emitter& emitter);     // DFT 17
// upgrade/flatten.cpp
Status flatten_to_reshape(Call& call, Emitter& emitter);  // Flatten
// upgrade/values.cpp
Status pad_to_inputs(Call& call, Emitter& emitter);          // Pad 2
Status clip_to_inputs(Call& call, Emitter& emitter);         // Clip 6
Status drop_ratio(Call& call, Emitter& emitter);             // Dropout 7, 10
Status cast_to_number(Call& call, Emitter& emitter);         // Cast with a word
Status grid_sample_mode(Call& call, Emitter& emitter);       // GridSample 16
Status roi_align_coordinates(Call& call, Emitter& emitter);  // RoiAlign 10
// upgrade/resize.cpp
Status upsample_7(Call& call, Emitter& emitter);
Status upsample_9(Call& call, Emitter& emitter);
Status resize_10(Call& call, Emitter& emitter);
Status resize_empty_inputs(Call& call, Emitter& emitter);  // Resize 11 and newer
// upgrade/normalisation.cpp
Status softmax_flattened(Call& call, Emitter& emitter);     // Softmax, LogSoftmax, Hardmax 1, 11
Status batch_norm_spatial(Call& call, Emitter& emitter);    // BatchNormalization 7
Status batch_norm_outputs(Call& call, Emitter& emitter);    // BatchNormalization 9
Status group_norm_per_group(Call& call, Emitter& emitter);  // GroupNormalization 18
// upgrade/microsoft.cpp
Status gelu_erf(Call& call, Emitter& emitter);    // com.microsoft Gelu
Status fast_gelu(Call& call, Emitter& emitter);   // com.microsoft FastGelu
Status bias_gelu(Call& call, Emitter& emitter);   // com.microsoft BiasGelu
Status quick_gelu(Call& call, Emitter& emitter);  // com.microsoft QuickGelu
Status rms_norm(Call& call, Emitter& emitter);    // SimplifiedLayerNormalization

}  // namespace npugraph::onnx
