// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/commands/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/io/model_file.h"
#include "npugraph/tools/io/pass_file.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/progress.h"

namespace npugraph::tools {
namespace {

Error bad_option(std::string_view option, std::string what, std::string found,
                 std::string expected) {
  return at(text("option ", option),
            fail(ErrorId::kBadOption, std::move(what), std::move(found), std::move(expected)));
}

std::string quote_word(std::string_view word) { return text("'", word, "'"); }

Result<std::pair<std::string, std::string>> split(std::string_view option, std::string_view text_in,
                                                  size_t position) {
  if (position == std::string_view::npos || position == 0 || position + 1 == text_in.size())
    return bad_option(option, "not of the form NAME=VALUE", quote_word(text_in), "NAME=VALUE");
  return std::pair{std::string(text_in.substr(0, position)),
                   std::string(text_in.substr(position + 1))};
}

}  // namespace

CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  // Without extra arguments, the next word is not taken for another value of the option.
  return app.add_option(name, values, help)->allow_extra_args(false);
}

CLI::Validator at_least(int64_t minimum) {
  const auto check = [minimum](const std::string& word) -> std::string {
    int64_t value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = code == std::errc{} && end == word.data() + word.size();
    if (whole && value >= minimum) return {};
    return text("found '", word, "', expected a whole number of at least ", minimum);
  };
  return {check, ""};
}

CLI::Validator seed_number() {
  const auto check = [](const std::string& word) -> std::string {
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code == std::errc{} && end == word.data() + word.size()) return {};
    return text("found '", word, "', expected a whole number from 0 to 2^64 - 1");
  };
  return {check, ""};
}

Result<std::pair<std::string, std::string>> split_at_first(std::string_view option,
                                                           std::string_view text_in) {
  return split(option, text_in, text_in.find('='));
}

Result<std::pair<std::string, std::string>> split_at_last(std::string_view option,
                                                          std::string_view text_in) {
  return split(option, text_in, text_in.rfind('='));
}

Result<std::map<std::string, Shape, std::less<>>> parse_shapes(
    const std::vector<std::string>& options) {
  std::map<std::string, Shape, std::less<>> shapes;
  for (const std::string& option : options) {
    // At the last '=': a shape has none, a name may.
    NPU_LET(const auto parts, split_at_last("--shape", option));
    auto shape = parse_shape(parts.second);
    if (!shape) return at("option --shape", std::move(shape).error());
    if (!shapes.emplace(parts.first, *std::move(shape)).second)
      return bad_option("--shape", "an input has two shapes", quote_word(parts.first),
                        "each input at most once");
  }
  return shapes;
}

Result<std::map<std::string, bool, std::less<>>> parse_switches(
    const std::vector<std::string>& options) {
  std::map<std::string, bool, std::less<>> switches;
  for (const std::string& option : options) {
    NPU_LET(const auto parts, split_at_last("--fusion-switch", option));
    if (parts.second != "on" && parts.second != "off")
      return bad_option("--fusion-switch", "not a switch", quote_word(parts.second), "on or off");
    switches[parts.first] = parts.second == "on";
  }
  return switches;
}

Result<std::vector<std::string>> read_order(const std::filesystem::path& path) {
  NPU_LET(const MappedFile file, MappedFile::open(path));
  const std::string_view content(reinterpret_cast<const char*>(file.bytes().data()),
                                 file.bytes().size());
  std::vector<std::string> names;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    std::string_view line = content.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) names.emplace_back(line);
    begin = end + 1;
  }
  return names;
}

Status apply_shapes(const std::map<std::string, Shape, std::less<>>& shapes,
                    std::vector<PortDescription>& ports) {
  std::vector<std::string> names;
  for (const PortDescription& port : ports) names.push_back(port.name);
  for (const auto& [name, shape] : shapes) {
    const auto hit = std::find(names.begin(), names.end(), name);
    if (hit == names.end()) {
      const std::string near = nearest(name, names);
      return at("option --shape",
                fail(ErrorId::kBadInputName, "there is no input of this name", quote_word(name),
                     join(names), near.empty() ? "" : text("did you mean '", near, "'?")));
    }
    ports[static_cast<size_t>(hit - names.begin())].type.shape = shape;
  }
  return ok();
}

void DeviceArguments::add(CLI::App& app) {
  add_repeated(app, "--plugin", plugins, "Load a device plug-in (a shared library); repeatable")
      ->type_name("FILE");
  app.add_option("--vnpu-hardware", vnpu_hardware,
                 "Hardware file of the simulated NPU; default: its built-in profile")
      ->type_name("FILE");
  add_repeated(app, "--user-pass", user_passes,
               "Add the passes of a JSON file (docs/passes.md); repeatable")
      ->type_name("FILE");
}

Result<Library> DeviceArguments::library() const {
  LibraryOptions options;
  for (const std::string& plugin : plugins) options.plugins.emplace_back(plugin);
  options.vnpu_hardware = vnpu_hardware;
  NPU_LET(Library library, Library::create(options));
  for (const std::string& file : user_passes) {
    NPU_LET(std::vector<UserPass> passes, read_user_passes(file));
    for (UserPass& pass : passes) NPU_TRY_AT(file, library.register_pass(std::move(pass)));
  }
  return library;
}

void CompileArguments::add(CLI::App& app, bool all) {
  app.add_option("--device", device,
                 "Device to compile for; what it refuses runs on the cpu. See `npugraph devices`")
      ->type_name("NAME")
      ->capture_default_str();
  add_passes(app);
  add_repeated(app, "--precise", precise,
               "At level 3 keep precise implementations for this operator, or for the nodes whose "
               "names match; repeatable")
      ->type_name("OP|REGEX");
  if (!all) return;
  add_pass_checks(app);
  app.add_option("--order", order, "Run the nodes in this order: node names, one a line")
      ->type_name("FILE");
  add_keep_inputs(app);
}

void CompileArguments::add_keep_inputs(CLI::App& app) {
  add_repeated(app, "--keep-input", keep_inputs,
               "Keep this input though the model gives it a value; all others become constants; "
               "repeatable")
      ->type_name("NAME");
}

void CompileArguments::add_passes(CLI::App& app) {
  add_repeated(app, "--shape", shapes,
               "Shape of an input: 1x3x240x320, or with symbols bx128; repeatable")
      ->type_name("NAME=SHAPE");
  app.add_option("--opt-level", opt_level,
                 "0 as the model is, 1 clean-ups that keep every bit, 2 fusions too, 3 fast "
                 "implementations too, which approximate")
      ->type_name("0..3")
      ->capture_default_str();
  add_repeated(app, "--fusion-switch", passes,
               "Switch a pass by its name (docs/passes.md); repeatable")
      ->type_name("NAME=on|off");
}

void CompileArguments::add_pass_checks(CLI::App& app) {
  app.add_flag("--self-check", self_check,
               "Run the model after each pass and stop at the pass that changes its numbers");
  app.add_option(
         "--dump-passes", dump_passes,
         "Write the graph before and after each pass that changes it, and which nodes it changed")
      ->type_name("FOLDER");
}

Result<CompileOptions> CompileArguments::options() const {
  CompileOptions out;
  out.device = device;
  NPU_LET(out.shapes, parse_shapes(shapes));
  if (opt_level < 0 || opt_level > CompileOptions::kMaxOptLevel)
    return bad_option("--opt-level", "outside its range", text(opt_level),
                      text("0 to ", CompileOptions::kMaxOptLevel));
  out.opt_level = opt_level;
  out.precise = precise;
  NPU_LET(out.passes, parse_switches(passes));
  out.self_check = self_check;
  out.dump_passes = dump_passes;
  out.keep_inputs = keep_inputs;
  if (!order.empty()) {
    NPU_LET(out.order, read_order(order));
  }
  return out;
}

std::vector<std::string> CompileArguments::given(const CLI::App& app) {
  std::vector<std::string> names;
  for (const char* name : {"--device", "--opt-level", "--precise", "--fusion-switch"})
    if (app.count(name) > 0) names.emplace_back(name);
  return names;
}

bool is_model_path(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".onnx" || is_foreign_model(path);
}

Result<LoadedEngine> open_or_compile(const Library& library, const std::filesystem::path& path,
                                     const CompileArguments& arguments, const CLI::App& app) {
  if (is_model_path(path)) {
    NPU_LET(CompileOptions options, arguments.options());
    NPU_LET(const ModelFile model, ModelFile::open(path));
    ProgressBar bar;
    options.progress = bar.callback();
    NPU_LET(Engine engine, compile(library, model.onnx(), options));
    return LoadedEngine{std::move(engine), true, 0};
  }
  const std::vector<std::string> given = CompileArguments::given(app);
  if (!given.empty())
    return bad_option(given.front(), "an engine is compiled already",
                      text("file '", path.string(), "'"), "a model, known by the ending .onnx");
  const auto begin = std::chrono::steady_clock::now();
  auto engine = Engine::open(path);
  if (!engine) {
    Error error = std::move(engine).error();
    if (error.id == ErrorId::kEngineCorrupt && error.fix.empty())
      error.fix = text(error_info(error.id).fix, "; a model is known by the ending .onnx");
    return error;
  }
  const std::chrono::duration<double, std::milli> open_ms =
      std::chrono::steady_clock::now() - begin;
  return LoadedEngine{*std::move(engine), false, open_ms.count()};
}

std::vector<TensorView> views_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  views.reserve(tensors.size());
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

}  // namespace npugraph::tools
