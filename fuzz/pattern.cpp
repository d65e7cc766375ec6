// SPDX-License-Identifier: Apache-2.0
// Patterns of passes: any text gives a typed error, or rewrites that leave a graph well formed.
// The text is a pattern, a line "---", and a replacement.
#include "npugraph/passes/pattern.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/driver.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"

namespace npugraph::fuzz {
namespace {

constexpr std::string_view kGraph = R"(graph "g" {
  input %x: float32[b, 4]
  input %i: float32[1, 2, 8, 8]
  const %w = float32[4, 4] random(1)
  const %k = float32[2, 2, 3, 3] random(2)
  const %half = float32[] [0.5]
  const %axes = int64[1] [1]
  %m = MatMul(%x, %w)
  %s = Sigmoid(%m)
  %p = Mul(%s, %m)
  %q = Mul(%p, %half)
  %a, %c = Split(%q) {axis = 1, num_outputs = 2}
  %t = Tanh(%c)
  %g = Mul(%a, %t)
  %r = ReduceMean(%g, %axes)
  %y = Elu(%r) {alpha = 0.5}
  %v = Conv(%i, %k) {pads = [1, 1, 1, 1]}
  %z = Relu(%v)
  return %y, %z
})";

std::string_view separator() { return "\n---\n"; }

}  // namespace

void fuzz_one(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t split = std::min(text.find(separator()), text.size());
  Rewrite rewrite;
  rewrite.pattern = text.substr(0, split);
  rewrite.replacement = text.substr(std::min(split + separator().size(), text.size()));
  const Rewrites rewrites({rewrite}, Misfit::kError);
  if (!rewrites.status()) {
    const Error& error = rewrites.status().error();
    if (error.id != ErrorId::kBadPattern && error.id != ErrorId::kUnknownOp) std::abort();
    // A pattern that is right by itself is still looked for.
  }
  auto graph = parse(kGraph);
  if (!graph || !infer_types(**graph)) std::abort();
  if (const auto pattern = Pattern::parse(rewrite.pattern)) {
    for (Node* node : (*graph)->nodes()) static_cast<void>(pattern->match(*node));
  }
  const auto count = rewrites.apply(**graph);
  if (!count && count.error().id == ErrorId::kInternal) std::abort();
  if (!verify(**graph)) std::abort();
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  // A piece of another text: words and parentheses meet in new ways.
  if (bytes.empty() || other.empty()) return;
  const size_t from = random() % other.size();
  const size_t count = std::min<size_t>(other.size() - from, 1 + random() % 12);
  const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
  const Bytes piece(first, first + static_cast<std::ptrdiff_t>(count));
  const size_t place = random() % bytes.size();
  const size_t gone = std::min<size_t>(bytes.size() - place, random() % 12);
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
  bytes.erase(at, at + static_cast<std::ptrdiff_t>(gone));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place), piece.begin(), piece.end());
}

}  // namespace npugraph::fuzz
