// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

constexpr int64_t kAlways = std::numeric_limits<int64_t>::max();
constexpr std::string_view kMs = "com.microsoft";

constexpr std::array kUpgrades = {
    Upgrade{"", "Squeeze", 12, "", axes_to_input},
    Upgrade{"", "Unsqueeze", 12, "", axes_to_input},
    Upgrade{"", "ReduceSum", 12, "", axes_to_input},
    Upgrade{"", "ReduceL1", 17, "", axes_to_input},
    Upgrade{"", "ReduceL2", 17, "", axes_to_input},
    Upgrade{"", "ReduceLogSum", 17, "", axes_to_input},
    Upgrade{"", "ReduceLogSumExp", 17, "", axes_to_input},
    Upgrade{"", "ReduceMax", 17, "", axes_to_input},
    Upgrade{"", "ReduceMean", 17, "", axes_to_input},
    Upgrade{"", "ReduceMin", 17, "", axes_to_input},
    Upgrade{"", "ReduceProd", 17, "", axes_to_input},
    Upgrade{"", "ReduceSumSquare", 17, "", axes_to_input},
    Upgrade{"", "Split", 12, "", split_sizes_to_input},
    Upgrade{"", "Split", 17, "", split_count},
    Upgrade{"", "Slice", 9, "", slice_to_inputs},
    Upgrade{"", "TopK", 9, "", top_k_to_input},
    Upgrade{"", "DFT", 19, "", dft_axis_to_input},
    Upgrade{"", "Flatten", kAlways, "Reshape", flatten_to_reshape},
    Upgrade{"", "Pad", 10, "", pad_to_inputs},
    Upgrade{"", "Clip", 10, "", clip_to_inputs},
    Upgrade{"", "Dropout", 11, "", drop_ratio},
    Upgrade{"", "Cast", kAlways, "", cast_to_number},
    Upgrade{"", "GridSample", 19, "", grid_sample_mode},
    Upgrade{"", "RoiAlign", 15, "", roi_align_coordinates},
    Upgrade{"", "Scatter", kAlways, "ScatterElements", nullptr},
    Upgrade{"", "Upsample", 8, "Resize", upsample_7},
    Upgrade{"", "Upsample", kAlways, "Resize", upsample_9},
    Upgrade{"", "Resize", 10, "", resize_10},
    Upgrade{"", "Resize", kAlways, "", resize_empty_inputs},
    Upgrade{"", "Softmax", 12, "", softmax_flattened},
    Upgrade{"", "LogSoftmax", 12, "", softmax_flattened},
    Upgrade{"", "Hardmax", 12, "", softmax_flattened},
    Upgrade{"", "BatchNormalization", 8, "", batch_norm_spatial},
    Upgrade{"", "BatchNormalization", 13, "", batch_norm_outputs},
    Upgrade{"", "GroupNormalization", 20, "", group_norm_per_group},
    Upgrade{"", "SimplifiedLayerNormalization", kAlways, "RMSNormalization", rms_norm},
    Upgrade{kMs, "Gelu", kAlways, "Gelu", gelu_erf},
    Upgrade{kMs, "FastGelu", kAlways, "Gelu", fast_gelu},
    Upgrade{kMs, "BiasGelu", kAlways, "Gelu", bias_gelu},
    Upgrade{kMs, "QuickGelu", kAlways, "Mul", quick_gelu},
    Upgrade{kMs, "QuantizeLinear", kAlways, "QuantizeLinear", nullptr},
    Upgrade{kMs, "DequantizeLinear", kAlways, "DequantizeLinear", nullptr},
    Upgrade{kMs, "Trilu", kAlways, "Trilu", nullptr},
    Upgrade{kMs, "GridSample", kAlways, "GridSample", grid_sample_mode},
    Upgrade{kMs, "Unique", kAlways, "Unique", nullptr},
};

bool fits(const Upgrade& row, std::string_view domain, std::string_view op, int64_t opset) {
  return row.op == op && row.domain == domain && opset <= row.last_opset;
}

/// An operator of the table that was registered for an ONNX name of another domain.
const OpSchema* find_alias(std::string_view domain, std::string_view op) {
  const std::string wanted = domain.empty() ? std::string(op) : text(domain, ".", op);
  for (const OpSchema& schema : all_ops())
    if (std::find(schema.onnx.begin(), schema.onnx.end(), wanted) != schema.onnx.end())
      return &schema;
  return nullptr;
}

}  // namespace

std::span<const Upgrade> upgrades() { return kUpgrades; }

Status upgrade(Call& call, Emitter& emitter) {
  // An operator of ours in a foreign domain is kept as it is: it is the exact match.
  if (!call.domain.empty() && find_op(call.domain, call.op) != nullptr) return ok();
  for (const Upgrade& row : kUpgrades) {
    if (!fits(row, call.domain, call.op, call.opset)) continue;
    if (row.apply != nullptr) NPU_TRY(row.apply(call, emitter));
    if (row.becomes.empty()) continue;
    call.op = row.becomes;
    call.domain.clear();
    break;  // what it becomes is of the newest opset
  }
  return ok();
}

const OpSchema* target_op(std::string_view domain, std::string_view op, int64_t opset) {
  if (domain == "npugraph") return nullptr;  // made by passes, never read from a file
  if (!domain.empty())
    if (const OpSchema* exact = find_op(domain, op); exact != nullptr) return exact;
  for (const Upgrade& row : kUpgrades)
    if (!row.becomes.empty() && fits(row, domain, op, opset)) return find_op({}, row.becomes);
  const OpSchema* schema = find_op(domain, op);
  return schema != nullptr ? schema : find_alias(domain, op);
}

}  // namespace npugraph::onnx
