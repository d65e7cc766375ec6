// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "npugraph/base/result.h"

/// Characters, words and numbers of a pattern's text; not for other folders.
namespace npugraph {

/// A number as written: whether it was an integer decides for attributes.
struct WrittenNumber {
  double real = 0;
  std::optional<int64_t> integer = std::nullopt;
};

/// Walks over a pattern. Every error is a kBadPattern that says "line L, column C".
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  /// The next character after blanks, line ends and comments; 0 at the end.
  char peek();
  /// A line end was among what peek() passed to come here.
  bool is_on_new_line() const;
  bool starts_with(std::string_view wanted) const { return rest().starts_with(wanted); }
  void skip(size_t count) { offset_ += count; }
  /// Passes `wanted` when it comes next.
  bool take(char wanted);
  Status expect(char wanted);

  /// Letters, digits and "_"; empty when none comes next.
  std::string_view identifier();
  /// An operator's name comes next: it has a capital, or a domain before it.
  bool at_operator() const;
  /// "Op" or "some.domain::Op", as domain and name.
  std::pair<std::string_view, std::string_view> operator_name();
  bool at_number();
  Result<WrittenNumber> number();
  Result<std::string> quoted();

  /// "line L, column C" of what comes next.
  std::string place();
  Error bad(std::string_view what, std::string_view expected);

 private:
  std::string_view rest() const { return text_.substr(offset_); }
  char here(size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  bool at_infinity(size_t sign) const;
  size_t dotted_length() const;

  std::string_view text_;
  size_t offset_ = 0;
  size_t gap_begin_ = 0, gap_end_ = 0;  // what peek() passed last
};

/// Errors of a pattern at a place that was kept.
Error bad_pattern(std::string_view place, std::string_view what, std::string found,
                  std::string_view expected);
bool is_capital(char c);
/// A letter or "_".
bool begins_word(char c);

}  // namespace npugraph
