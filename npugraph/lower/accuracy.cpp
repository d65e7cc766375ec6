// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/accuracy.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

/// A compiled expression; it stays where it is, for regex_t may point into itself.
struct Regex {
  Regex() = default;
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  ~Regex() {
    if (is_compiled) regfree(&raw);
  }
  regex_t raw{};
  bool is_compiled = false;
};

/// One entry of the user's list.
struct Entry {
  std::string_view word;
  bool is_operator = false;
  std::unique_ptr<const Regex> regex = {};
  bool has_hit = false;
};

/// What compiling the expression may cost, in characters: each count, as in "{1,9}", may stand for
/// that many copies. -1: too much.
int64_t expanded_length(std::string_view word, int64_t limit) {
  auto length = static_cast<int64_t>(word.size());
  for (size_t i = word.find('{'); i != std::string_view::npos; i = word.find('{', i + 1)) {
    int64_t count = 1, number = 0;
    for (const char c : word.substr(i + 1, word.find('}', i) - i - 1)) {
      number = c >= '0' && c <= '9' ? number * 10 + (c - '0') : 0;
      if (number > limit) return -1;
      count = std::max(count, number);
    }
    length *= count;
    if (length > limit) return -1;
  }
  return length <= limit ? length : -1;
}

/// Refuses what regcomp() or regexec() could work at for hours. Errors: kBadOption.
Status check_regex(std::string_view word) {
  constexpr size_t kMaxLength = 1000;
  constexpr int64_t kMaxExpanded = 10'000;
  const auto bad = [](std::string what, std::string found, std::string expected) {
    return fail(ErrorId::kBadOption, std::move(what), std::move(found), std::move(expected),
                "name operators, or use several shorter expressions");
  };
  if (word.find('\0') != std::string_view::npos)
    return bad("an expression of `precise` holds a zero byte", text(word.size(), " characters"),
               "text without it");
  if (word.size() > kMaxLength)
    return bad("an expression of `precise` is too long", text(word.size(), " characters"),
               text("at most ", kMaxLength));
  for (size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] != '\\') continue;
    ++i;  // what is escaped
    if (word[i] >= '1' && word[i] <= '9')
      return bad("an expression of `precise` has a back-reference", std::string(word),
                 "a regular expression without one");
  }
  if (expanded_length(word, kMaxExpanded) < 0)
    return bad("the counts in an expression of `precise` are too large", std::string(word),
               text("at most ", kMaxExpanded, " characters with its counts written out"));
  return ok();
}

Result<std::unique_ptr<const Regex>> compile_regex(const std::string& word) {
  NPU_TRY(check_regex(word));
  auto regex = std::make_unique<Regex>();
  const std::string whole = text("^(", word, ")$");
  const int code = regcomp(&regex->raw, whole.c_str(), REG_EXTENDED | REG_NOSUB);
  regex->is_compiled = code == 0;
  if (regex->is_compiled) return std::unique_ptr<const Regex>(std::move(regex));
  std::array<char, 128> why{};
  regerror(code, &regex->raw, why.data(), why.size());
  return fail(ErrorId::kBadOption, "`precise` holds no regular expression", word,
              "an operator, or a POSIX extended regular expression for names of nodes", why.data());
}

bool is_operator(std::string_view word) {
  const auto ops = all_ops();
  return std::any_of(ops.begin(), ops.end(), [&](const OpSchema& op) { return op.name == word; });
}

bool keeps(Entry& entry, const Node& node) {
  if (entry.is_operator) return node.op() == entry.word;
  const auto matches = [&](const std::string& name) {
    return regexec(&entry.regex->raw, name.c_str(), 0, nullptr, 0) == 0;
  };
  const bool hit =
      matches(node.name()) || std::any_of(node.origins.begin(), node.origins.end(), matches);
  entry.has_hit = entry.has_hit || hit;
  return hit;
}

void mark(Graph& graph, bool fast, std::vector<Entry>& entries) {
  for (Node* node : graph.nodes()) {
    node->allow_fast = fast;
    for (Entry& entry : entries) {  // all of them: each must be seen to match something
      if (keeps(entry, *node)) node->allow_fast = false;
    }
    for (const auto& [name, nested] : node->subgraphs()) mark(*nested, fast, entries);
  }
}

}  // namespace

Status choose_accuracy(Graph& graph, bool fast, std::span<const std::string> precise) {
  std::vector<Entry> entries;
  for (const std::string& word : precise) {
    Entry entry = {.word = word, .is_operator = is_operator(word)};
    if (!entry.is_operator) {
      NPU_LET(entry.regex, compile_regex(word));
    }
    entries.push_back(std::move(entry));
  }
  mark(graph, fast, entries);
  for (const Entry& entry : entries) {
    if (entry.is_operator || entry.has_hit) continue;
    return fail(ErrorId::kBadOption, "`precise` names neither an operator nor a node",
                std::string(entry.word), "an operator of `npugraph ops`, or a regular expression",
                "see the names that `npugraph check` lists");
  }
  return ok();
}

}  // namespace npugraph
