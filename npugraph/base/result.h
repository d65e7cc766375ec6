// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace npugraph {

/// What kind of failure; the caller branches on this, people read the message.
enum class Code : uint8_t {
  kInvalidArgument,  // the caller's input is wrong; retrying cannot help
  kUnsupported,      // legal input, but no operator, kernel or device takes it
  kNotFound,
  kOutOfMemory,
  kCorrupt,       // a file or message fails its own checks
  kIncompatible,  // engine file, driver or firmware version mismatch
  kTimeout,
  kCancelled,
  kInternal,  // our bug
};

/// The stable identity of a failure, one a row of errors.inc.
enum class ErrorId : int16_t {
#define X(name, number, code, title, fix) k##name = number,
#include "npugraph/base/errors.inc"
#undef X
};

/// One row of errors.inc.
struct ErrorInfo {
  ErrorId id;
  std::string_view name;
  Code code;
  std::string_view title;
  std::string_view fix;
};

/// The row of `id`.
const ErrorInfo& error_info(ErrorId id) noexcept;

/// All rows, in file order.
std::span<const ErrorInfo> all_errors() noexcept;

/// "kCorrupt", "kNotFound", …
std::string_view code_name(Code code) noexcept;

/// One failure: which, where in the user's model or file, what was found and expected, what to do.
struct Error {
  ErrorId id;
  std::string what;      // one sentence
  std::string place;     // "model.onnx: node 'conv1': attribute 'group'", outermost first
  std::string found;     // may be empty
  std::string expected;  // may be empty
  std::string fix;       // empty: the row's own
  std::source_location where;

  Code code() const noexcept { return error_info(id).code; }
  /// "NPU303: model.onnx: node 'conv1': group does not divide channels; found 3, expected …; fix".
  std::string message() const;
};

/// Makes an Error that remembers its caller:
///   return fail(ErrorId::kAxisOutsideRank, "axis is outside the rank", "3", "-2..1");
inline Error fail(ErrorId id, std::string what, std::string found = {}, std::string expected = {},
                  std::string fix = {},
                  std::source_location where = std::source_location::current()) {
  return {.id = id,
          .what = std::move(what),
          .place = {},
          .found = std::move(found),
          .expected = std::move(expected),
          .fix = std::move(fix),
          .where = where};
}

/// Puts a place before the error's own:  return at("node 'conv1'", std::move(error));
inline Error at(std::string_view place, Error error) {
  error.place = error.place.empty() ? std::string(place) : std::string(place) + ": " + error.place;
  return error;
}

/// A value or an Error. The same face as C++23 std::expected<T, Error>, so that
/// the day we move to C++23 this file becomes one alias.
template <class T = std::monostate>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  Error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<>;
inline Status ok() { return std::monostate{}; }

#define NPU_CAT2(a, b) a##b
#define NPU_CAT(a, b) NPU_CAT2(a, b)

/// Returns the error of `expr`, or goes on.            NPU_TRY(graph.verify());
#define NPU_TRY(expr)                                                                \
  do {                                                                               \
    if (auto npu_status = (expr); !npu_status) return std::move(npu_status).error(); \
  } while (false)

/// The same, with a place put before the error.        NPU_TRY_AT(place, check(node));
#define NPU_TRY_AT(place, expr)                                      \
  do {                                                               \
    if (auto npu_status = (expr); !npu_status)                       \
      return ::npugraph::at((place), std::move(npu_status).error()); \
  } while (false)

/// Binds the value of `expr`, or returns its error.    NPU_LET(auto g, load(path));
#define NPU_LET(decl, expr) NPU_LET_(decl, expr, NPU_CAT(npu_result_, __COUNTER__))
#define NPU_LET_(decl, expr, tmp)          \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  decl = *std::move(tmp)

/// Stops the program with a report: only for our own bugs, never for user input.
[[noreturn]] void check_failed(std::string_view condition, std::string_view why,
                               std::source_location where) noexcept;

#define NPU_CHECK(cond, why)                                                            \
  do {                                                                                  \
    if (!(cond)) ::npugraph::check_failed(#cond, why, std::source_location::current()); \
  } while (false)

}  // namespace npugraph
