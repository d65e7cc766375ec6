// SPDX-License-Identifier: Apache-2.0
// Reads hardware files. Every field is required, has a range, and is read once; a field that nobody
// asked for is refused, so that a typing error does not silently leave a default.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "npugraph/base/text.h"
#include "npugraph/vnpu/hardware.h"

namespace npugraph::vnpu {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "npugraph.vnpu/1";

std::string shown(const Json& value) {
  std::string out = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (out.size() > 60) out = out.substr(0, 57) + "...";
  return out;
}

Error bad_field(std::string_view path, std::string found, std::string allowed) {
  return fail(ErrorId::kHardwareFile, text("field '", path, "' is not valid"), std::move(found),
              std::move(allowed));
}

/// One object of the file. Remembers what was asked for; done() refuses the rest.
class Block {
 public:
  static Result<Block> of(const Json& value, std::string path) {
    if (!value.is_object()) {
      return bad_field(path.empty() ? "(whole file)" : path, shown(value), "an object");
    }
    return Block(value, std::move(path));
  }

  std::string path_of(std::string_view field) const {
    return path_.empty() ? std::string(field) : text(path_, ".", field);
  }

  Result<const Json*> get(std::string_view field) {
    asked_.emplace(field);
    const auto found = value_->find(field);
    if (found == value_->end()) {
      return bad_field(path_of(field), "nothing", "the field to be present");
    }
    return &*found;
  }

  const Json* find(std::string_view field) {
    asked_.emplace(field);
    const auto found = value_->find(field);
    return found == value_->end() ? nullptr : &*found;
  }

  Result<Block> block(std::string_view field) {
    NPU_LET(const Json* value, get(field));
    return of(*value, path_of(field));
  }

  Result<double> number(std::string_view field, double min, double max) {
    NPU_LET(const Json* value, get(field));
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= min && number <= max)) {
      return bad_field(path_of(field), shown(*value), text("a number from ", min, " to ", max));
    }
    return number;
  }

  Result<int64_t> whole(std::string_view field, int64_t min, int64_t max) {
    NPU_LET(const Json* value, get(field));
    const bool fits =
        value->is_number_integer() &&
        !(value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
    const int64_t number = fits ? value->get<int64_t>() : min - 1;
    if (number < min || number > max) {
      return bad_field(path_of(field), shown(*value),
                       text("a whole number from ", min, " to ", max));
    }
    return number;
  }

  Result<std::string> word(std::string_view field) {
    NPU_LET(const Json* value, get(field));
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
      return bad_field(path_of(field), shown(*value), "a string that is not empty");
    }
    return value->get<std::string>();
  }

  Result<Version> version(std::string_view field) {
    NPU_LET(const std::string given, word(field));
    auto version = Version::parse(given);
    if (!version) return bad_field(path_of(field), text("\"", given, "\""), "\"1.0.0\" or alike");
    return version;
  }

  Status done() const {
    for (const auto& [name, value] : value_->items()) {
      if (name.starts_with("_") || asked_.contains(name)) continue;
      return bad_field(path_of(name), "a field of this name",
                       text(join(asked_), ", or a remark whose name starts with '_'"));
    }
    return ok();
  }

 private:
  Block(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}
  const Json* value_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
};

Result<Range> read_range(const Json& value, const std::string& path) {
  const bool pair = value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
                    value[1].is_number_integer();
  const Range range = pair ? Range{value[0].get<int64_t>(), value[1].get<int64_t>()} : Range{1, 0};
  if (range.min < 0 || range.min > range.max) {
    return bad_field(path, shown(value), "[smallest, largest], whole numbers of 0 or more");
  }
  return range;
}

Result<std::vector<std::string>> read_words(const Json& value, const std::string& path,
                                            std::span<const std::string_view> allowed) {
  std::vector<std::string> words;
  const bool list =
      value.is_array() &&
      std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  if (!list) return bad_field(path, shown(value), "a list of strings");
  for (const Json& item : value) {
    words.push_back(item.get<std::string>());
    if (!allowed.empty() &&
        std::find(allowed.begin(), allowed.end(), words.back()) == allowed.end()) {
      return bad_field(path, text("\"", words.back(), "\""), join(allowed));
    }
  }
  return words;
}

Result<LegalOp> read_legal_op(Block rule, std::string_view op) {
  // What this version of the simulator can execute at all; the file may only narrow it.
  static constexpr std::string_view kDTypes[] = {"float32"};
  static constexpr std::string_view kConvAttributes[] = {"kernel_shape", "strides", "dilations",
                                                         "pads", "group"};
  LegalOp out;
  NPU_LET(const Json* dtypes, rule.get("dtypes"));
  NPU_LET(out.dtypes, read_words(*dtypes, rule.path_of("dtypes"), kDTypes));
  NPU_LET(const Json* rank, rule.get("rank"));
  NPU_LET(out.rank, read_range(*rank, rule.path_of("rank")));
  if (const Json* constant = rule.find("constant")) {
    NPU_LET(out.constant, read_words(*constant, rule.path_of("constant"), {}));
  }
  if (op == "Conv") {
    NPU_LET(Block attributes, rule.block("attributes"));
    for (const std::string_view name : kConvAttributes) {
      NPU_LET(const Json* value, attributes.get(name));
      NPU_LET(out.attributes[std::string(name)], read_range(*value, attributes.path_of(name)));
    }
    NPU_TRY(attributes.done());
  }
  NPU_TRY(rule.done());
  return out;
}

Status read_legal(Block table, Hardware& hardware) {
  struct Most {
    std::string_view op;
    Range rank;
  };
  static constexpr Most kOps[] = {
      {"MatMul", {2, 4}}, {"Conv", {4, 4}}, {"Add", {0, 4}}, {"Relu", {0, 8}}};
  for (const auto& [op, rank] : kOps) {
    const Json* value = table.find(op);
    if (value == nullptr) continue;
    const std::string path = table.path_of(op);
    NPU_LET(Block rule, Block::of(*value, path));
    NPU_LET(LegalOp legal, read_legal_op(std::move(rule), op));
    if (legal.rank.min < rank.min || legal.rank.max > rank.max) {
      return bad_field(text(path, ".rank"), legal.rank.str(), text("within ", rank.str()));
    }
    hardware.legal.emplace(op, std::move(legal));
  }
  return table.done();
}

Status read_units(Block& root, Hardware& hardware) {
  constexpr int64_t kMost = 1 << 16;
  NPU_LET(hardware.cores, root.whole("cores", 1, 1));
  NPU_LET(hardware.clock_hz, root.number("clock_hz", 1e6, 1e11));
  NPU_LET(Block mxu, root.block("mxu"));
  NPU_LET(hardware.mxu_rows, mxu.whole("rows", 1, kMost));
  NPU_LET(hardware.mxu_cols, mxu.whole("cols", 1, kMost));
  NPU_TRY(mxu.done());
  NPU_LET(Block vpu, root.block("vpu"));
  NPU_LET(hardware.vpu_lanes, vpu.whole("lanes", 1, kMost));
  NPU_TRY(vpu.done());
  NPU_LET(Block dram, root.block("dram"));
  NPU_LET(hardware.dram_bytes, dram.whole("bytes", 4096, int64_t{1} << 40));
  NPU_LET(hardware.dram_Bps, dram.number("peak_Bps", 1e6, 1e14));
  return dram.done();
}

Status read_costs(Block& root, Hardware& hardware) {
  NPU_LET(Block cmd, root.block("cmd"));
  NPU_LET(hardware.decode_cycles, cmd.whole("decode_cyc", 0, 1'000'000));
  NPU_LET(hardware.launch_us, cmd.number("launch_us", 0, 1e6));
  NPU_TRY(cmd.done());
  NPU_LET(Block host, root.block("host"));
  NPU_LET(hardware.link_Bps, host.number("link_Bps", 1e6, 1e14));
  NPU_LET(hardware.link_latency_us, host.number("latency_us", 0, 1e6));
  NPU_TRY(host.done());
  NPU_LET(Block firmware, root.block("firmware"));
  NPU_LET(hardware.firmware, firmware.version("version"));
  NPU_LET(hardware.min_compiler, firmware.version("min_compiler"));
  return firmware.done();
}

}  // namespace

Result<Hardware> parse_hardware(std::string_view json) {
  const Json file = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) {
    return fail(ErrorId::kHardwareFile, "the file is not JSON",
                text(json.size(), " bytes that do not parse"), "one JSON object");
  }
  NPU_LET(Block root, Block::of(file, ""));
  NPU_LET(const std::string schema, root.word("schema"));
  if (schema != kSchema) return bad_field("schema", schema, std::string(kSchema));
  Hardware hardware;
  NPU_LET(hardware.name, root.word("name"));
  NPU_TRY(read_units(root, hardware));
  NPU_TRY(read_costs(root, hardware));
  NPU_LET(Block legal, root.block("legal"));
  NPU_TRY(read_legal(std::move(legal), hardware));
  NPU_TRY(root.done());
  return hardware;
}

}  // namespace npugraph::vnpu
