// SPDX-License-Identifier: Apache-2.0
// --input and --random: from files to the tensors of a model's inputs.
#include <algorithm>
#include <cctype>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/io/npy.h"
#include "npugraph/tools/io/npz.h"

namespace npugraph::tools {
namespace {

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

/// The tensors found so far, by port.
class InputSet {
 public:
  InputSet(const std::vector<PortDescription>& ports, const ImageScaling& scaling)
      : ports_(ports), scaling_(scaling), tensors_(ports.size()) {
    for (const PortDescription& port : ports) names_.push_back(port.name);
  }

  /// One --input: NAME=FILE, or FILE alone (an .npz with every input, or a model's only input).
  Status add(const std::string& option) {
    const size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    const bool named =
        equals != std::string::npos && (is_port(name) || !std::filesystem::exists(option));
    if (named) {
      NPU_LET(const auto parts, split_at_first("--input", option));
      NPU_LET(const size_t port, find(parts.first));
      return load(port, parts.second);
    }
    if (ending_of(option) == ".npz") return load_all(option);
    if (ports_.size() != 1)
      return at("option --input",
                fail(ErrorId::kBadOption, "the input's name is missing", text("'", option, "'"),
                     text("NAME=FILE with one of ", join(names_))));
    return load(0, option);
  }

  std::vector<std::optional<Tensor>>& tensors() noexcept { return tensors_; }
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  bool is_port(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  Result<size_t> find(const std::string& name) const {
    const auto hit = std::find(names_.begin(), names_.end(), name);
    if (hit != names_.end()) return static_cast<size_t>(hit - names_.begin());
    const std::string near = nearest(name, names_);
    return at("option --input",
              fail(ErrorId::kBadInputName, "there is no input of this name", text("'", name, "'"),
                   join(names_), near.empty() ? "" : text("did you mean '", near, "'?")));
  }

  Status set(size_t port, Tensor tensor, const std::string& file) {
    if (tensors_[port])
      return at("option --input", fail(ErrorId::kBadOption, "an input is given twice",
                                       text("'", names_[port], "' in '", file, "'"), "once"));
    const DType wanted = ports_[port].type.dtype;
    if (wanted != tensor.dtype() && holds_bits(tensor.dtype(), wanted)) {
      NPU_LET(tensor, Tensor::copy(wanted, tensor.dims(), tensor.bytes()));
    }
    tensors_[port] = std::move(tensor);
    return ok();
  }

  /// numpy has neither bfloat16 nor float8: their bits come as unsigned integers.
  static bool holds_bits(DType file, DType wanted) {
    if (file == DType::kU16) return wanted == DType::kBF16;
    return file == DType::kU8 && (wanted == DType::kF8E4M3FN || wanted == DType::kF8E4M3FNUZ ||
                                  wanted == DType::kF8E5M2 || wanted == DType::kF8E5M2FNUZ);
  }

  Status load(size_t port, const std::string& file) {
    const std::string ending = ending_of(file);
    if (ending == ".npz") {
      NPU_LET(std::vector<NamedArray> arrays, read_npz(file));
      const auto hit = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) {
        return array.name == names_[port];
      });
      if (hit != arrays.end()) return set(port, std::move(hit->tensor), file);
      if (arrays.size() == 1) return set(port, std::move(arrays.front().tensor), file);
      return at(text("file '", file, "'"),
                fail(ErrorId::kBadArray, "no array for this input", text(arrays.size(), " arrays"),
                     text("one named '", names_[port], "', or only one")));
    }
    if (ending == ".npy") {
      NPU_LET(const MappedFile mapped, MappedFile::open(file));
      auto tensor = parse_npy(mapped.bytes());
      if (!tensor) return at(text("file '", file, "'"), std::move(tensor).error());
      return set(port, *std::move(tensor), file);
    }
    if (ending == ".png" || ending == ".jpg" || ending == ".jpeg") {
      auto tensor = load_image(file, ports_[port].type, scaling_);
      if (!tensor) return at(text("input '", names_[port], "'"), std::move(tensor).error());
      return set(port, *std::move(tensor), file);
    }
    return at("option --input", fail(ErrorId::kBadOption, "the kind of file is not known",
                                     text("'", file, "'"), ".npy, .npz, .png, .jpg or .jpeg"));
  }

  Status load_all(const std::string& file) {
    NPU_LET(std::vector<NamedArray> arrays, read_npz(file));
    for (NamedArray& array : arrays) {
      auto port = find(array.name);
      if (!port) return at(text("file '", file, "'"), std::move(port).error());
      NPU_TRY(set(*port, std::move(array.tensor), file));
    }
    return ok();
  }

  const std::vector<PortDescription>& ports_;
  const ImageScaling& scaling_;
  std::vector<std::string> names_;
  std::vector<std::optional<Tensor>> tensors_;
};

}  // namespace

void InputArguments::add(CLI::App& app) {
  add_repeated(app, "--input", inputs,
               "Input from a .npy, .npz, .png or .jpg file; FILE alone for the only input, or for "
               "an .npz with all of them; repeatable")
      ->type_name("NAME=FILE");
  app.add_option("--random", seed,
                 "Make up the inputs that --input leaves out: floats in [-1, 1), integers and "
                 "bools 0 or 1, open dims 1")
      ->check(seed_number())
      ->type_name("SEED");
  app.add_option("--image-mean", scaling.mean, "Pixels (0..255) become (pixel - mean) * scale")
      ->capture_default_str();
  app.add_option("--image-scale", scaling.scale, "See --image-mean; default 1/255");
  app.add_flag("--image-bgr", scaling.bgr, "Channels of images in the order blue, green, red");
}

Result<std::vector<Tensor>> InputArguments::load(const std::vector<PortDescription>& ports,
                                                 std::optional<uint64_t> default_seed) const {
  InputSet set(ports, scaling);
  for (const std::string& option : inputs) NPU_TRY(set.add(option));
  const bool may_make_up = seed.has_value() || (inputs.empty() && default_seed.has_value());
  const uint64_t first_seed = seed.value_or(default_seed.value_or(0));
  std::vector<Tensor> out;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (set.tensors()[i]) {
      out.push_back(*std::move(set.tensors()[i]));
      continue;
    }
    if (!may_make_up)
      return fail(ErrorId::kBadInputCount, "an input is missing",
                  text("none for '", ports[i].name, "'"),
                  text("--input for each of ", join(set.names()), ", or --random SEED"));
    // Each port has its own seed, so that the values do not depend on which others are given.
    NPU_LET(std::vector<Tensor> made,
            random_inputs(std::span(&ports[i], 1), first_seed + static_cast<uint64_t>(i)));
    out.push_back(std::move(made.front()));
  }
  return out;
}

}  // namespace npugraph::tools
