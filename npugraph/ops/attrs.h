// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "npugraph/tensor/tensor.h"

namespace npugraph {

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

/// The kinds of attribute values. ONNX's float attributes are kept as doubles of the same value.
using AttrValue = std::variant<int64_t, double, std::string, Ints, Floats, Strings, Tensor>;
enum class AttrKind : uint8_t { kInt, kFloat, kString, kInts, kFloats, kStrings, kTensor };

inline AttrKind kind_of(const AttrValue& value) { return static_cast<AttrKind>(value.index()); }
/// "int", "float", "string", "ints", …
std::string_view attr_kind_name(AttrKind kind) noexcept;
/// The value as people write it: 3, 0.5, "same", [1, 1].
std::string attr_str(const AttrValue& value);
bool attr_equal(const AttrValue& a, const AttrValue& b);

/// Named attribute values of one node, sorted by name. A node's attributes are complete: where the
/// schema has a default, the value is there. Reading an attribute that is not there, or as another
/// kind, is a bug of the operator's author and stops the program; optional attributes without a
/// default are asked for with has() first.
class Attrs {
 public:
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  const AttrValue* find(std::string_view name) const;
  int64_t i64(std::string_view name) const;
  double f64(std::string_view name) const;
  bool flag(std::string_view name) const { return i64(name) != 0; }
  const std::string& str(std::string_view name) const;
  const Ints& ints(std::string_view name) const;
  const Floats& floats(std::string_view name) const;
  const Strings& strings(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;

  void set(std::string name, AttrValue value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }
  void erase(std::string_view name);

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, AttrValue, std::less<>> values_;
};

}  // namespace npugraph
