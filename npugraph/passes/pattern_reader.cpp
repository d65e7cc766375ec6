// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/pattern_reader.h"

#include <algorithm>
#include <charconv>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || is_capital(c) || c == '_'; }

Error bad_pattern(std::string_view place, std::string_view what, std::string found,
                  std::string_view expected) {
  return at(place,
            fail(ErrorId::kBadPattern, std::string(what), std::move(found), std::string(expected)));
}

char PatternReader::peek() {
  const size_t begin = offset_;
  while (offset_ < text_.size()) {
    const bool is_comment = here() == '#' && (here(1) == '\0' || is_space(here(1)));
    if (is_comment) {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else if (is_space(here())) {
      ++offset_;
    } else {
      break;
    }
  }
  if (offset_ != begin) gap_begin_ = begin, gap_end_ = offset_;
  return here();
}

bool PatternReader::is_on_new_line() const {
  const std::string_view gap = text_.substr(gap_begin_, gap_end_ - gap_begin_);
  return gap_end_ == offset_ && gap.find('\n') != std::string_view::npos;
}

bool PatternReader::take(char wanted) {
  if (peek() != wanted || wanted == '\0') return false;
  ++offset_;
  return true;
}

Status PatternReader::expect(char wanted) {
  if (take(wanted)) return ok();
  return bad("unexpected text", text("'", wanted, "'"));
}

std::string_view PatternReader::identifier() {
  peek();
  size_t length = 0;
  while (begins_word(here(length)) || (length != 0 && is_digit(here(length)))) ++length;
  const std::string_view out = rest().substr(0, length);
  offset_ += length;
  return out;
}

size_t PatternReader::dotted_length() const {
  size_t length = 0;
  while (begins_word(here(length)) || is_digit(here(length)) || here(length) == '.') ++length;
  return length;
}

bool PatternReader::at_operator() const {
  const size_t length = dotted_length();
  return is_capital(here()) || (here(length) == ':' && here(length + 1) == ':');
}

std::pair<std::string_view, std::string_view> PatternReader::operator_name() {
  const size_t length = dotted_length();
  if (here(length) != ':' || here(length + 1) != ':') return {{}, identifier()};
  const std::string_view domain = rest().substr(0, length);
  offset_ += length + 2;
  return {domain, identifier()};
}

bool PatternReader::at_infinity(size_t sign) const {
  const bool goes_on = begins_word(here(sign + 3)) || is_digit(here(sign + 3));
  return text_.substr(std::min(offset_ + sign, text_.size())).starts_with("inf") && !goes_on;
}

bool PatternReader::at_number() {
  const size_t sign = peek() == '-' ? 1 : 0;
  return is_digit(here(sign)) || (here(sign) == '.' && is_digit(here(sign + 1))) ||
         at_infinity(sign);
}

Result<WrittenNumber> PatternReader::number() {
  peek();
  const char* const first = text_.data() + offset_;
  const char* const last = text_.data() + text_.size();
  WrittenNumber out;
  const auto real = std::from_chars(first, last, out.real);
  if (real.ec != std::errc()) return bad("not a number", "a number within double's range");
  int64_t whole = 0;
  const auto integer = std::from_chars(first, last, whole);
  if (integer.ec == std::errc() && integer.ptr == real.ptr) out.integer = whole;
  offset_ += static_cast<size_t>(real.ptr - first);
  return out;
}

Result<std::string> PatternReader::quoted() {
  NPU_TRY(expect('"'));
  const size_t end = text_.find_first_of("\"\n", offset_);
  if (end == std::string_view::npos || text_[end] == '\n')
    return bad("a string does not end", "'\"' on the same line");
  std::string out(text_.substr(offset_, end - offset_));
  offset_ = end + 1;
  return out;
}

std::string PatternReader::place() {
  peek();
  const std::string_view before = text_.substr(0, offset_);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return text("line ", std::count(before.begin(), before.end(), '\n') + 1, ", column ",
              offset_ - line_start + 1);
}

Error PatternReader::bad(std::string_view what, std::string_view expected) {
  const bool at_end = peek() == '\0';
  const std::string_view next = rest().substr(0, 20);
  return bad_pattern(place(), what,
                     at_end ? "the end" : text("'", next.substr(0, next.find('\n')), "'"),
                     expected);
}

}  // namespace npugraph
