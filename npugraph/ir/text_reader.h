// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "npugraph/base/result.h"
#include "npugraph/tensor/shape.h"

/// Words, strings, numbers and types of the IR text; not for other folders.
namespace npugraph {

/// Nested graphs of texts and files; bounds recursion on hostile input.
inline constexpr int64_t kMaxGraphDepth = 32;
/// Characters of one dimension; reading a longer one could take long.
inline constexpr size_t kMaxDim_chars = 8192;

/// A dimension as Dim::str() writes it, products multiplied out: 2*w + 2, not 2*(w + 1).
/// Errors: kIrParse.
Result<Dim> parse_written_dim(std::string_view text);

/// Walks over IR text. Every error says "line L, column C".
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  /// Passes blanks, line ends and comments.
  void skip_space();
  /// The next character after blanks; 0 at the end.
  char peek();
  bool at_end() { return peek() == 0; }
  /// Passes `wanted` when it comes next.
  bool take(std::string_view wanted);
  /// Passes `wanted` when it is the whole next word.
  bool take_word(std::string_view wanted);
  Status expect(std::string_view wanted);

  Result<std::string> word();
  Result<std::string> quoted();
  /// A word or a quoted string.
  Result<std::string> name();
  Result<int64_t> integer();
  /// The characters of a number, not yet judged: "-1.5e3", "inf".
  Result<std::string_view> number_text();
  Result<double> real();
  /// "[1, h, 2*w]"; dims as parse_written_dim() takes them.
  Result<Shape> shape();
  Result<TensorType> type();

  size_t offset() const { return offset_; }
  /// "line L, column C" of an offset.
  std::string place(size_t offset) const;
  Error bad(std::string_view what, std::string_view expected) const;

 private:
  std::string_view rest() const { return text_.substr(offset_); }

  std::string_view text_;
  size_t offset_ = 0;
};

}  // namespace npugraph
