// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/text_reader.h"

#include <algorithm>
#include <charconv>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_char(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '.' || c == '/';
}
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// A parenthesis that is not a call's. Multiplying out nested ones can take exponential space, and
/// what Dim prints has none.
bool has_bare_parenthesis(std::string_view dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == '(' && (i == 0 || !is_letter(dims[i - 1]))) return true;
  return false;
}

Status check_dim_text(std::string_view dims, size_t max_chars) {
  if (dims.size() > max_chars)
    return fail(ErrorId::kIrParse, "a dimension is too long", text(dims.size(), " characters"),
                text(max_chars, " or fewer"));
  if (has_bare_parenthesis(dims))
    return fail(ErrorId::kIrParse, "a parenthesis in a dimension", std::string(dims.substr(0, 60)),
                "products written out: 2*w + 2, not 2*(w + 1)");
  return ok();
}

}  // namespace

Result<Dim> parse_written_dim(std::string_view text) {
  NPU_TRY(check_dim_text(text, kMaxDim_chars));
  return Dim::parse(text);
}

void TextReader::skip_space() {
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    const bool is_comment =
        c == '#' && (offset_ + 1 == text_.size() || is_space(text_[offset_ + 1]));
    if (is_comment) {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else if (is_space(c)) {
      ++offset_;
    } else {
      return;
    }
  }
}

char TextReader::peek() {
  skip_space();
  return offset_ < text_.size() ? text_[offset_] : '\0';
}

bool TextReader::take(std::string_view wanted) {
  skip_space();
  if (!rest().starts_with(wanted)) return false;
  offset_ += wanted.size();
  return true;
}

bool TextReader::take_word(std::string_view wanted) {
  skip_space();
  if (!rest().starts_with(wanted)) return false;
  const std::string_view after = rest().substr(wanted.size());
  if (!after.empty() && is_word_char(after[0])) return false;
  offset_ += wanted.size();
  return true;
}

Status TextReader::expect(std::string_view wanted) {
  if (take(wanted)) return ok();
  return bad("unexpected text", text("'", wanted, "'"));
}

Result<std::string> TextReader::word() {
  skip_space();
  size_t length = 0;
  while (length < rest().size() && is_word_char(rest()[length])) ++length;
  if (length == 0) return bad("unexpected text", "a word");
  std::string out(rest().substr(0, length));
  offset_ += length;
  return out;
}

Result<std::string> TextReader::quoted() {
  if (!take("\"")) return bad("unexpected text", "a string");
  std::string out;
  while (offset_ < text_.size()) {
    const char c = text_[offset_++];
    if (c == '"') return out;
    if (c == '\n') break;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (offset_ == text_.size()) break;
    const char escaped = text_[offset_++];
    if (escaped == 'n') {
      out += '\n';
    } else if (escaped == 'r') {
      out += '\r';
    } else if (escaped == 't') {
      out += '\t';
    } else if (escaped == '"' || escaped == '\\') {
      out += escaped;
    } else if (escaped == 'x' && text_.size() - offset_ >= 2) {
      const int high = hex_digit(text_[offset_]), low = hex_digit(text_[offset_ + 1]);
      if (high < 0 || low < 0) return bad("not an escape", "\\x and two hexadecimal digits");
      out += static_cast<char>(high * 16 + low);
      offset_ += 2;
    } else {
      return bad("not an escape", "\\\" \\\\ \\n \\r \\t or \\xHH");
    }
  }
  return bad("a string does not end", "'\"' on the same line");
}

Result<std::string> TextReader::name() { return peek() == '"' ? quoted() : word(); }

Result<int64_t> TextReader::integer() {
  skip_space();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), value);
  if (error != std::errc()) return bad("not an integer", "an integer of at most 64 bits");
  offset_ += static_cast<size_t>(end - rest().data());
  return value;
}

Result<std::string_view> TextReader::number_text() {
  skip_space();
  size_t length = 0;
  while (length < rest().size() &&
         (is_word_char(rest()[length]) || rest()[length] == '-' || rest()[length] == '+'))
    ++length;
  if (length == 0) return bad("unexpected text", "a number");
  const std::string_view out = rest().substr(0, length);
  offset_ += length;
  return out;
}

Result<double> TextReader::real() {
  skip_space();
  double value = 0;
  const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), value);
  if (error != std::errc()) return bad("not a number", "a number, inf or nan");
  offset_ += static_cast<size_t>(end - rest().data());
  return value;
}

Result<Shape> TextReader::shape() {
  if (peek() != '[') return bad("not a shape", "'['");
  const size_t length = rest().find(']');
  if (length == std::string_view::npos) return bad("a shape does not end", "']'");
  const std::string_view inner = rest().substr(0, length + 1);
  // The limit is on the whole shape: simple, and far above what any real one takes.
  NPU_TRY_AT(place(offset_), check_dim_text(inner, 4 * kMaxDim_chars));
  auto parsed = Shape::parse(inner);
  if (!parsed) return at(place(offset_), std::move(parsed).error());
  offset_ += length + 1;
  return parsed;
}

Result<TensorType> TextReader::type() {
  const size_t start = offset_;
  NPU_LET(const std::string name_of_type, word());
  const auto dtype = parse_dtype(name_of_type);
  if (!dtype)
    return at(place(start),
              fail(ErrorId::kIrParse, "no such dtype", name_of_type, "float32, int64, …"));
  NPU_LET(Shape dims, shape());
  return TensorType{*dtype, std::move(dims)};
}

std::string TextReader::place(size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return text("line ", std::count(before.begin(), before.end(), '\n') + 1, ", column ",
              before.size() - line_start + 1);
}

Error TextReader::bad(std::string_view what, std::string_view expected) const {
  const std::string_view next = rest().substr(0, 20);
  return at(place(offset_),
            fail(ErrorId::kIrParse, std::string(what),
                 next.empty() ? "the end" : text("'", next.substr(0, next.find('\n')), "'"),
                 std::string(expected)));
}

}  // namespace npugraph
