// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/user_passes.h"

#include <algorithm>
#include <exception>
#include <type_traits>

#include "npugraph/api/library.h"
#include "npugraph/base/text.h"
#include "npugraph/passes/pattern.h"

namespace npugraph {
namespace {

static_assert(std::is_same_v<AttributeValue, AttrValue>, "the public name of the same type");

Status check_name(std::string_view name) {
  const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (is_word) return ok();
  return fail(ErrorId::kBadOption, "not the name of a pass", text("'", name, "'"),
              "letters, digits and '_'", "give the pass another name");
}

/// A guard of the user may throw; no exception passes through the compiler.
std::function<Result<bool>(Match&)> sealed(PatternGuard guard) {
  if (!guard) return {};
  return [guard = std::move(guard)](Match& match) -> Result<bool> {
    PatternMatch seen(match);
    try {
      return guard(seen);
    } catch (const std::exception& exception) {
      return fail(ErrorId::kPassFailed, "the guard of a pass threw an exception", exception.what(),
                  "true, false or an error", "correct the guard");
    }
  };
}

Pass make_pass(UserPass&& user, Rewrites rewrites, PassGroup group) {
  return {.name = std::move(user.name),
          .doc = std::move(user.doc),
          .run = [rewrites = std::move(rewrites)](
                     Graph& graph, const PassContext&) { return rewrites.apply(graph); },
          .group = group,
          .level = user.level,
          .exact = user.exact};
}

std::vector<Pass>::iterator first_fusing(std::vector<Pass>& table) {
  return std::find_if(table.begin(), table.end(),
                      [](const Pass& pass) { return pass.group == PassGroup::kFuse; });
}

std::vector<Pass>::iterator find_pass(std::vector<Pass>& table, std::string_view name) {
  return std::find_if(table.begin(), table.end(),
                      [&](const Pass& pass) { return pass.name == name; });
}

}  // namespace

// ---- PatternMatch

std::optional<TensorType> PatternMatch::type(std::string_view word) const {
  const Value* value = match_->value(word);
  if (value == nullptr || !value->has_type) return std::nullopt;
  return value->type;
}

std::optional<Tensor> PatternMatch::constant(std::string_view word) const {
  const Tensor* data = match_->constant(word);
  if (data == nullptr) return std::nullopt;
  return *data;
}

std::optional<AttributeValue> PatternMatch::attr(std::string_view name) const {
  const AttrValue* value = match_->attr(name);
  if (value == nullptr) return std::nullopt;
  return *value;
}

const std::string& PatternMatch::root_name() const noexcept { return match_->root().name(); }

void PatternMatch::set_constant(std::string word, Tensor data) {
  match_->set_constant(std::move(word), std::move(data));
}

void PatternMatch::set_attr(std::string name, AttributeValue value) {
  match_->set_attr(std::move(name), std::move(value));
}

// ---- UserPasses

Status UserPasses::add(UserPass pass) {
  NPU_TRY(check_name(pass.name));
  const std::string place = text("pass '", pass.name, "'");
  if (pass.rewrites.empty())
    return at(place, fail(ErrorId::kBadOption, "a pass has nothing to do", "no rewrites",
                          "pairs of pattern and replacement", "give it a rewrite"));
  if (pass.level < 0 || pass.level > kMaxOptLevel)
    return at(place, fail(ErrorId::kBadOption, "the level of a pass is outside its range",
                          text(pass.level), text("0..", kMaxOptLevel), "use one of these levels"));
  std::vector<Rewrite> rewrites;
  for (UserRewrite& row : pass.rewrites)
    rewrites.push_back(
        {std::move(row.pattern), std::move(row.replacement), sealed(std::move(row.guard))});
  Rewrites parsed(std::move(rewrites), Misfit::kError);
  NPU_TRY_AT(place, parsed.status());

  const std::lock_guard lock(mutex_);
  std::vector<Pass> table = locked_table();
  if (find_pass(table, pass.name) != table.end())
    return at(place, fail(ErrorId::kBadOption, "there is a pass of this name already",
                          text("'", pass.name, "'"), "another name",
                          "take another name, or remove that pass first"));
  const auto next = pass.before.empty() ? first_fusing(table) : find_pass(table, pass.before);
  if (!pass.before.empty() && next == table.end()) {
    std::vector<std::string> names;
    for (const Pass& known : table) names.push_back(known.name);
    const std::string close = nearest(pass.before, names);
    return at(place, fail(ErrorId::kBadOption, "there is no pass to run before",
                          text("'", pass.before, "'"), join(names),
                          close.empty() ? "" : text("did you mean '", close, "'?")));
  }
  std::string before = pass.before;
  const PassGroup group = next == table.end() ? PassGroup::kFuse : next->group;
  rows_.push_back({make_pass(std::move(pass), std::move(parsed), group), std::move(before)});
  return ok();
}

bool UserPasses::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(rows_, [&](const Row& row) { return row.pass.name == name; }) != 0;
}

bool UserPasses::has(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const Row& row) { return row.pass.name == name; });
}

std::vector<Pass> UserPasses::table() const {
  const std::lock_guard lock(mutex_);
  return locked_table();
}

std::vector<Pass> UserPasses::locked_table() const {
  std::vector<Pass> table(pipeline().begin(), pipeline().end());
  // Those without a wish run in the order of their registration, right before the fusing ones.
  const std::string fusing = first_fusing(table)->name;
  for (const Row& row : rows_) {
    const auto next = find_pass(table, row.before.empty() ? fusing : row.before);
    // The pass that it was to run before may have been removed since.
    table.insert(next != table.end() ? next : find_pass(table, fusing), row.pass);
  }
  return table;
}

// ---- Library

Status Library::register_pass(UserPass pass) const {
  return state_->user_passes->add(std::move(pass));
}

bool Library::remove_pass(std::string_view name) const { return state_->user_passes->remove(name); }

std::vector<PassDescription> Library::passes() const {
  std::vector<PassDescription> rows;
  for (const Pass& pass : state_->user_passes->table())
    rows.push_back({pass.name, pass.doc, pass.group == PassGroup::kFuse, pass.level, pass.exact,
                    state_->user_passes->has(pass.name)});
  return rows;
}

}  // namespace npugraph
