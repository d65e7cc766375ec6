// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Nodes that a pass inserts before one place; they are taken away again with this, unless the pass
/// has come to keep(). Until then nothing else may read them.
class Inserted {
 public:
  Inserted(Node& before, Graph& graph) : before_(before), graph_(graph) {}
  Inserted(const Inserted&) = delete;
  Inserted& operator=(const Inserted&) = delete;
  ~Inserted();

  /// A node of the default domain with types; its name is that of the place with `suffix`, and so
  /// is its output's when no names are given; its origins are the place's.
  Result<Node*> node(std::string_view op, std::string_view suffix, std::vector<Value*> inputs,
                     Attrs attrs = {}, std::vector<std::string> outputs = {});
  Result<Value*> value(std::string_view op, std::string_view suffix, std::vector<Value*> inputs,
                       Attrs attrs = {});
  /// `in` itself, what it was reshaped from, or a Reshape of it that has `shape`; null when there
  /// is none that is right for every size.
  Result<Value*> reshaped(Value& in, const Shape& shape);
  Value& constant(std::string_view suffix, Tensor data);
  /// What a rewrite with these came to: not done when one of them did not fit its inputs, which is
  /// no fault of the model's.
  Result<bool> outcome(Result<bool> rewritten) const {
    return is_misfit_ ? Result<bool>(false) : std::move(rewritten);
  }
  /// They stay: called before the first reader is moved to them.
  void keep() { is_kept_ = true; }

 private:
  Node& before_;
  Graph& graph_;
  std::vector<Node*> nodes_;
  bool is_kept_ = false;
  bool is_misfit_ = false;
};

}  // namespace npugraph
