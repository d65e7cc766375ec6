// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "npugraph/ir/graph.h"

/// The text form of a graph: what dumps show and tests are written in.
///
///   graph "mlp" {
///     meta "producer" = "by hand"
///     fact b = 1..64 % 2                       # 1 <= b <= 64, even; "..inf" without upper limit
///     input %x: float32[b, 3]
///     const %w = float32[3, 2] [1, 0, 0.5, -2, 0, 1]
///     const %k = float32[64, 3, 7, 7] random(1)
///     %h: float32[b, 2] = MatMul(%x, %w)
///     %y: float32[b, 2] = Softmax(%h) {axis = 1} @cpu name "head" from ["fc", "prob"]
///     return %y
///   }
///
/// Grammar. Blanks and line ends separate words and mean nothing else; "#" before a blank starts a
/// comment that goes to the end of the line.
///   graph   = "graph" [string] body
///   body    = "{" {meta | fact | input | const | node} "return" [value {"," value}] "}"
///   meta    = "meta" string "=" string
///   fact    = "fact" symbol "=" int ".." (int | "inf") ["%" int]
///   input   = "input" value [":" type]
///   const   = "const" value "=" tensor
///   node    = value [":" type] {"," value [":" type]} "=" [domain "::"] op
///             "(" [(value | "-") {"," (value | "-")}] ")" ["{" [attr {"," attr}] "}"]
///             ["@" device] ["name" string] ["from" strings] {"with" word [string] body}
///             name: of the node, by default that of its first output; from: its origins;
///             with: a nested graph by its role ("then_branch", "body"), then its own name
///   attr    = word "=" (int | float | string | "[" … "]" | tensor), as the operator declares it
///   tensor  = type (numbers | "zeros" | "splat" "(" number ")" | "hex" string |
///             "random" "(" int ")" | "#" hash)
///             numbers: "[" number {"," number} "]", row-major; hex: the bytes; random: from a
///             seed, near normal with mean 0 and deviation 1 (integers: 0..7, bool: 0 or 1), the
///             same on every machine, read but never printed; hash: the data lies elsewhere, see
///             ParseOptions
///   type    = dtype "[" "*" | dims "]"; a dim is a sum of products of numbers, symbols and calls,
///             written out: 2*w + 2, not 2*(w + 1)
///   value   = "%" (word | string); word: letters, digits and any of _ . /
///   device  = word | string
///   string  = '"' … '"' with \" \\ \n \r \t and \xHH
namespace npugraph {

struct PrintOptions {
  /// Write the data of every constant; else long ones are shown as a hash.
  bool all_data = false;
  /// Longest constant whose elements are always written.
  int64_t max_elements = 64;
};

/// The same graph always gives the same text.
std::string print(const Graph& graph, const PrintOptions& options = {});
/// One node on one line (nested graphs left out), for messages and reports.
std::string print(const Node& node);

struct ParseOptions {
  /// Where constants shown as a hash are taken from; null: a hash is an error.
  const Graph* data = nullptr;
  /// Bytes that the constants of a text may take together.
  int64_t max_bytes = int64_t{1} << 28;
};

/// Reads what print() writes: print(*parse(print(g))) == print(g), given the data. Types are taken
/// as they stand (those left out are inferred by ir/infer.h). Safe on hostile input.
/// Errors: kIrParse with "line L, column C"; what the operators say of their nodes.
Result<std::unique_ptr<Graph>> parse(std::string_view text, const ParseOptions& options = {});

/// Identity of a tensor's dtype, dims and data, as print() shows it.
std::string data_hash(const Tensor& tensor);

}  // namespace npugraph
