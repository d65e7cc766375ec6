// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/pass_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

Error bad(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kBadOption, std::move(what), std::move(found), std::move(expected),
              "see docs/passes.md for the form of the file");
}

/// The fields of an object, each read once; what is left over is an error.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  Result<std::string> text_of(const std::string& key, bool is_needed) {
    const json* const value = take(key);
    if (value == nullptr && !is_needed) return std::string();
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    std::string lines;
    const bool is_list = value != nullptr && value->is_array() && !value->empty();
    if (is_list) {
      for (const json& line : *value) {
        if (!line.is_string()) return wrong(key, "a string, or a list of them");
        lines += (lines.empty() ? "" : "\n") + line.get<std::string>();
      }
      return lines;
    }
    return wrong(key, "a string, or a list of them");
  }
  Result<int64_t> integer(const std::string& key, int64_t fallback) {
    const json* const value = take(key);
    if (value == nullptr) return fallback;
    if (value->is_number_integer()) return value->get<int64_t>();
    return wrong(key, "an integer");
  }
  Result<bool> flag(const std::string& key) {
    const json* const value = take(key);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    return wrong(key, "true or false");
  }
  Result<const json*> list(const std::string& key) {
    const json* const value = take(key);
    if (value != nullptr && value->is_array()) return value;
    return wrong(key, "a list");
  }
  Status finish() const {
    for (const auto& [key, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return bad("an unknown field", text("'", key, "'"), join(known_));
    return ok();
  }

 private:
  const json* take(const std::string& key) {
    known_.push_back(key);
    const auto hit = object_.find(key);
    return hit == object_.end() ? nullptr : &*hit;
  }
  Error wrong(const std::string& key, std::string expected) const {
    const auto hit = object_.find(key);
    return bad(text("field '", key, "'"), hit == object_.end() ? "missing" : hit->type_name(),
               std::move(expected));
  }

  const json& object_;
  std::vector<std::string> known_;
};

Result<UserPass> read_pass(const json& object) {
  if (!object.is_object()) return bad("a pass", object.type_name(), "an object");
  Fields fields(object);
  UserPass pass;
  NPU_LET(pass.name, fields.text_of("name", true));
  NPU_LET(pass.doc, fields.text_of("doc", false));
  NPU_LET(pass.before, fields.text_of("before", false));
  NPU_LET(pass.level, fields.integer("level", 1));
  NPU_LET(pass.exact, fields.flag("exact"));
  NPU_LET(const json* const rewrites, fields.list("rewrites"));
  NPU_TRY(fields.finish());
  for (const json& row : *rewrites) {
    if (!row.is_object()) return bad("a rewrite", row.type_name(), "an object");
    Fields pair(row);
    UserRewrite rewrite;
    NPU_LET(rewrite.pattern, pair.text_of("pattern", true));
    NPU_LET(rewrite.replacement, pair.text_of("replacement", true));
    NPU_TRY(pair.finish());
    pass.rewrites.push_back(std::move(rewrite));
  }
  return pass;
}

Result<std::vector<UserPass>> read_passes(const json& file) {
  if (!file.is_object()) return bad("not a file of passes", file.type_name(), "an object");
  Fields fields(file);
  NPU_LET(const json* const rows, fields.list("passes"));
  NPU_TRY(fields.finish());
  std::vector<UserPass> passes;
  for (const json& row : *rows) {
    auto pass = read_pass(row);
    if (!pass) return at(text("pass ", passes.size() + 1), std::move(pass).error());
    passes.push_back(*std::move(pass));
  }
  return passes;
}

}  // namespace

Result<std::vector<UserPass>> read_user_passes(const std::filesystem::path& path) {
  NPU_LET(const MappedFile mapped, MappedFile::open(path));
  const auto* const first = reinterpret_cast<const char*>(mapped.bytes().data());
  const json file = json::parse(first, first + mapped.bytes().size(), nullptr, false);
  if (file.is_discarded())
    return at(path.string(), bad("not JSON", {}, "a JSON object with a list of passes"));
  auto passes = read_passes(file);
  if (!passes) return at(path.string(), std::move(passes).error());
  return passes;
}

}  // namespace npugraph::tools
