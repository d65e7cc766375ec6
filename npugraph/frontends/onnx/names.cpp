// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/names.h"

#include "npugraph/base/text.h"

namespace npugraph::onnx {
namespace {

constexpr size_t kMaxShown = 80;
constexpr size_t kMaxPart = 200;

/// Length of the UTF-8 sequence at the front of `text`, or 0 when there is none.
size_t utf8_length(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 && lead <= 0xf4   ? 4
                        : lead >= 0xe0 && lead <= 0xef ? 3
                        : lead >= 0xc2 && lead <= 0xdf ? 2
                                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool good = length != 0 && lead >= 0x20 && lead != 0x7f;
    out += good ? text.substr(0, length) : "?";
    text.remove_prefix(good ? length : 1);
  }
  return out;
}

std::string shown(std::string_view name) {
  std::string out = printable(name.substr(0, kMaxShown));
  if (name.size() > kMaxShown) out += "…";
  return "'" + out + "'";
}

std::string_view cut(std::string_view name) noexcept {
  if (name.size() <= kMaxPart) return name;
  size_t end = kMaxPart;  // never inside a UTF-8 sequence
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end);
}

std::string_view plain_domain(std::string_view domain) noexcept {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

std::string full_op(std::string_view domain, std::string_view op) {
  domain = plain_domain(domain);
  return printable(text(domain.empty() ? std::string_view("ai.onnx") : cut(domain), ".", cut(op)));
}

std::string declared_shape_key(std::string_view output) {
  return text("declared shape of ", output);
}

Status check_name(std::string_view name) {
  if (name.size() > kMaxName)
    return fail(ErrorId::kOnnxStructure, "a name is too long",
                text(name.size(), " bytes: ", shown(name)), text("at most ", kMaxName, " bytes"));
  if (!is_utf8(name))
    return fail(ErrorId::kOnnxStructure, "a name is not UTF-8", shown(name), "UTF-8 text");
  return ok();
}

}  // namespace npugraph::onnx
