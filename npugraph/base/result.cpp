// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/result.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace npugraph {
namespace {

constexpr std::array kErrors = {
#define X(name, number, code, title, fix) \
  ErrorInfo{ErrorId::k##name, #name, Code::code, title, fix},
#include "npugraph/base/errors.inc"
#undef X
};

}  // namespace

const ErrorInfo& error_info(ErrorId id) noexcept {
  for (const ErrorInfo& info : kErrors)
    if (info.id == id) return info;
  return kErrors[0];
}

std::span<const ErrorInfo> all_errors() noexcept { return kErrors; }

std::string_view code_name(Code code) noexcept {
  switch (code) {
    case Code::kInvalidArgument:
      return "kInvalidArgument";
    case Code::kUnsupported:
      return "kUnsupported";
    case Code::kNotFound:
      return "kNotFound";
    case Code::kOutOfMemory:
      return "kOutOfMemory";
    case Code::kCorrupt:
      return "kCorrupt";
    case Code::kIncompatible:
      return "kIncompatible";
    case Code::kTimeout:
      return "kTimeout";
    case Code::kCancelled:
      return "kCancelled";
    case Code::kInternal:
      return "kInternal";
  }
  return "kInternal";
}

std::string Error::message() const {
  std::string out = "NPU" + std::to_string(static_cast<int>(id)) + ": ";
  if (!place.empty()) out += place + ": ";
  out += what;
  if (!found.empty()) out += "; found " + found;
  if (!expected.empty()) out += (found.empty() ? "; expected " : ", expected ") + expected;
  out += "; to do: ";
  out += fix.empty() ? std::string(error_info(id).fix) : fix;
  return out;
}

void check_failed(std::string_view condition, std::string_view why,
                  std::source_location where) noexcept {
  std::fprintf(stderr, "npugraph bug at %s:%u: %.*s (%.*s)\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(why.size()), why.data(),
               static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace npugraph
