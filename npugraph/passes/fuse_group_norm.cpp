// SPDX-License-Identifier: Apache-2.0
// GroupNormalization as exporters write it: Reshape to [n, groups, rest], a normalisation of each
// group, Reshape back, Mul and Add by channel.
#include "npugraph/passes/normalization.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// The number of groups and of channels when r is x with its channels split into groups.
struct Groups {
  int64_t groups, channels;
};
std::optional<Groups> groups_of(const Match& match) {
  const Shape& x = match.value("x")->type.shape;
  const Shape& split = match.value("r")->type.shape;
  if (x.rank() < 2 || split.rank() < 3 || !(x[0] == split[0])) return std::nullopt;
  const std::optional<int64_t> channels = x[1].known(), groups = split[1].known();
  if (!channels || !groups || *groups < 1 || *channels % *groups != 0) return std::nullopt;
  return Groups{*groups, *channels};
}

Result<bool> set_affine(Match& match, const Groups& found, const Tensor& scale,
                        const Tensor& bias) {
  for (const auto& [word, data] : {std::pair{"scale", &scale}, {"bias", &bias}}) {
    NPU_LET(Tensor by_channel, Tensor::zeros(data->dtype(), {found.channels}));
    const TensorView to = by_channel.mutable_view();
    const int64_t size = found.channels / found.groups;
    for (int64_t c = 0; c < found.channels; ++c) to.store(c, data->view().load(c / size));
    match.set_constant(word, std::move(by_channel));
  }
  match.set_attr("groups", found.groups);
  return true;
}

Result<bool> takes_instance_norm(Match& match) {
  const std::optional<Groups> found = groups_of(match);
  if (!found) return false;
  return set_affine(match, *found, *match.constant("s"), *match.constant("b"));
}

/// LayerNormalization without scale over all of a group.
Result<bool> takes_layer_norm(Match& match) {
  const std::optional<Groups> found = groups_of(match);
  const Value& split = *match.value("r");
  const int64_t axis = match.node("n")->attrs().i64("axis");
  if (!found || (axis != 2 && axis != 2 - split.type.shape.rank()) ||
      !all_equal(*match.constant("s"), 1)) {
    return false;
  }
  NPU_LET(const Tensor ones, filled(split.type.dtype, {found->groups}, 1));
  NPU_LET(const Tensor zeros, filled(split.type.dtype, {found->groups}, 0));
  return set_affine(match, *found, ones, zeros);
}

std::vector<Rewrite> rewrites() {
  const std::string put =
      "y = GroupNormalization{num_groups = $groups, epsilon = $epsilon}(x, scale, bias)";
  std::vector<Rewrite> out = {
      {"r = Reshape{*}(x, p); n = InstanceNormalization{epsilon = $epsilon}(r, #s, #b); "
       "y = Reshape{*}(n, q)",
       put, takes_instance_norm},
      {"r = Reshape{*}(x, p); n = LayerNormalization{epsilon = $epsilon, axis = $axis}(r, #s); "
       "y = Reshape{*}(n, q)",
       put, takes_layer_norm},
  };
  for (Rewrite& affine : channel_affine_rewrites("GroupNormalization")) {
    out.push_back(std::move(affine));
  }
  return out;
}

}  // namespace

Result<int64_t> fuse_group_norm(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites(rewrites());
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
