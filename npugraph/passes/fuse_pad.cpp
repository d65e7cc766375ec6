// SPDX-License-Identifier: Apache-2.0
// Conv(Pad(x)) with zeros around the spatial dims becomes Conv with larger pads.
#include <algorithm>

#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kMostPads = 1 << 20;  // sums stay far below what Conv's attribute may be

/// Begin and end pads of every axis, for a Pad with constant zeros that takes nothing away.
std::optional<Ints> zero_pads(const Node& pad, int64_t rank) {
  if (pad.attrs().has("mode") && pad.attrs().str("mode") != "constant") return std::nullopt;
  if (pad.input(2) != nullptr && !is_scalar(pad.input(2), 0)) return std::nullopt;
  const std::optional<std::vector<int64_t>> pads = known_ints(pad.input(1));
  if (!pads) return std::nullopt;
  std::vector<int64_t> axes;
  if (pad.input(3) != nullptr) {
    const std::optional<std::vector<int64_t>> given = known_ints(pad.input(3));
    if (!given) return std::nullopt;
    axes = *given;
  } else {
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  if (pads->size() != 2 * axes.size()) return std::nullopt;
  Ints all(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const Result<int64_t> axis = wrap_axis(axes[i], rank);
    if (!axis) return std::nullopt;
    for (const auto& [slot, amount] :
         {std::pair{*axis, (*pads)[i]}, std::pair{*axis + rank, (*pads)[i + axes.size()]}}) {
      if (amount < 0 || amount > kMostPads) return std::nullopt;
      all[static_cast<size_t>(slot)] = amount;
    }
  }
  return all;
}

/// The pads of a Conv that are numbers; nothing under auto_pad SAME_*.
std::optional<Ints> conv_pads(const Node& conv, int64_t spatial) {
  const Attrs& attrs = conv.attrs();
  const Ints none(static_cast<size_t>(2 * spatial), 0);
  if (attrs.has("auto_pad")) {
    if (attrs.str("auto_pad") == "VALID") return none;
    if (attrs.str("auto_pad") != "NOTSET") return std::nullopt;
  }
  if (!attrs.has("pads") || attrs.ints("pads").empty()) return none;
  if (attrs.ints("pads").size() != none.size()) return std::nullopt;
  return attrs.ints("pads");
}

Result<bool> fuse(Node& conv) {
  Node* const pad = made_by(conv.input(0), "Pad");
  if (pad == nullptr || sole_user(*conv.input(0)) != &conv) return false;
  const Value& padded = *conv.input(0);
  if (!padded.has_type || padded.type.shape.rank() < 3) return false;
  const int64_t rank = padded.type.shape.rank(), spatial = rank - 2;
  const std::optional<Ints> extra = zero_pads(*pad, rank);
  std::optional<Ints> pads = conv_pads(conv, spatial);
  if (!extra || !pads) return false;
  for (const int64_t axis : {int64_t{0}, int64_t{1}, rank, rank + 1}) {
    if ((*extra)[static_cast<size_t>(axis)] != 0) return false;
  }
  for (int64_t i = 0; i < spatial; ++i) {
    (*pads)[static_cast<size_t>(i)] += (*extra)[static_cast<size_t>(i + 2)];
    (*pads)[static_cast<size_t>(i + spatial)] += (*extra)[static_cast<size_t>(i + 2 + rank)];
  }
  if (conv.attrs().has("auto_pad")) NPU_TRY(conv.set_attr("auto_pad", std::string("NOTSET")));
  NPU_TRY(conv.set_attr("pads", *pads));
  merge_origins(conv, {pad, &conv});
  conv.set_input(0, pad->input(0));
  conv.graph().erase(*pad);
  return true;
}

}  // namespace

Result<int64_t> fuse_pad(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"Conv"})) {
    NPU_LET(const bool fused, fuse(*node));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
