// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/attrs.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr std::array<std::string_view, 7> kKindNames = {"int",    "float",   "string", "ints",
                                                        "floats", "strings", "tensor"};

template <class T>
const T& get(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.find(name);
  const T* typed = value != nullptr ? std::get_if<T>(value) : nullptr;
  NPU_CHECK(typed != nullptr, text("attribute '", name, "' is read but was not declared so"));
  return *typed;
}

}  // namespace

std::string_view attr_kind_name(AttrKind kind) noexcept {
  return kKindNames[static_cast<size_t>(kind)];
}

std::string attr_str(const AttrValue& value) {
  switch (kind_of(value)) {
    case AttrKind::kInt:
      return text(std::get<int64_t>(value));
    case AttrKind::kFloat:
      return text(std::get<double>(value));
    case AttrKind::kString:
      return text('"', std::get<std::string>(value), '"');
    case AttrKind::kInts:
      return text("[", join(std::get<Ints>(value)), "]");
    case AttrKind::kFloats:
      return text("[", join(std::get<Floats>(value)), "]");
    case AttrKind::kStrings:
      return text("[", join(std::get<Strings>(value)), "]");
    case AttrKind::kTensor:
      return std::get<Tensor>(value).type().str();
  }
  return {};
}

bool attr_equal(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Tensor>(&a)) {
    const auto& y = std::get<Tensor>(b);
    return x->dtype() == y.dtype() && x->dims() == y.dims() &&
           std::equal(x->bytes().begin(), x->bytes().end(), y.bytes().begin(), y.bytes().end());
  }
  if (const auto* x = std::get_if<int64_t>(&a)) return *x == std::get<int64_t>(b);
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    return std::memcmp(x, &y, sizeof(double)) == 0;  // NaN equals itself, -0 is not 0
  }
  if (const auto* x = std::get_if<std::string>(&a)) return *x == std::get<std::string>(b);
  if (const auto* x = std::get_if<Ints>(&a)) return *x == std::get<Ints>(b);
  if (const auto* x = std::get_if<Floats>(&a)) return *x == std::get<Floats>(b);
  return std::get<Strings>(a) == std::get<Strings>(b);
}

const AttrValue* Attrs::find(std::string_view name) const {
  const auto hit = values_.find(name);
  return hit == values_.end() ? nullptr : &hit->second;
}

int64_t Attrs::i64(std::string_view name) const { return get<int64_t>(*this, name); }
double Attrs::f64(std::string_view name) const { return get<double>(*this, name); }
const std::string& Attrs::str(std::string_view name) const { return get<std::string>(*this, name); }
const Ints& Attrs::ints(std::string_view name) const { return get<Ints>(*this, name); }
const Floats& Attrs::floats(std::string_view name) const { return get<Floats>(*this, name); }
const Strings& Attrs::strings(std::string_view name) const { return get<Strings>(*this, name); }
const Tensor& Attrs::tensor(std::string_view name) const { return get<Tensor>(*this, name); }

void Attrs::erase(std::string_view name) {
  const auto hit = values_.find(name);
  if (hit != values_.end()) values_.erase(hit);
}

}  // namespace npugraph
