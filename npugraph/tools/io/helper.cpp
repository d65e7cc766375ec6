// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/helper.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/terminal/interrupt.h"

extern char** environ;  // NOLINT: POSIX has no header for it

namespace npugraph::tools {
namespace {

// Exit statuses of npugraph/helper.py; 127 is the loader's when there is no such program.
constexpr int kHelperMissingPackage = 3;
constexpr int kNoSuchProgram = 127;

/// The interpreter that has npugraph's Python package: the one that the environment names (the
/// wheel's entry point does), the one beside this program, or the user's.
std::string python_program() {
  if (const char* named = std::getenv("NPUGRAPH_PYTHON"); named != nullptr && *named != '\0')
    return named;
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) {
    const std::filesystem::path beside = self.parent_path() / "python3";
    if (std::filesystem::exists(beside, code)) return beside.string();
  }
  return "python3";
}

std::string file_text(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return {};
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

/// The last line that says something.
std::string last_line(std::string content) {
  while (!content.empty() && (content.back() == '\n' || content.back() == ' ')) content.pop_back();
  return content.substr(content.rfind('\n') + 1);
}

/// Runs a program with its output in `log`; returns its exit status (128 + signal when one ended
/// it), or kNoSuchProgram.
int spawn_and_wait(const std::vector<std::string>& words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return kNoSuchProgram;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Why Python could not even begin; nothing for other ends. packages: what the work needs.
std::optional<Error> python_error(int status, const std::string& python, const std::string& log,
                                  std::string_view packages) {
  if (status == kNoSuchProgram)
    return fail(ErrorId::kPythonMissing, "there is no Python", text("no program '", python, "'"),
                text("Python 3 with ", packages));
  if (status == kHelperMissingPackage || log.find("No module named") != std::string::npos)
    return fail(ErrorId::kPythonMissing, "a Python package is missing", last_line(log),
                text(packages, " in '", python, "'"));
  return std::nullopt;
}

Error helper_error(int status, const std::string& python, const std::string& log) {
  if (auto missing = python_error(status, python, log, "npugraph, numpy, onnx and onnxruntime"))
    return *std::move(missing);
  return fail(ErrorId::kCompareFailed, "onnxruntime could not run the model", last_line(log), {},
              text("run the model in onnxruntime by itself, with '", python, "'"));
}

Result<std::map<std::string, std::string>> read_nodes(const std::filesystem::path& path) {
  const nlohmann::json parsed = nlohmann::json::parse(file_text(path), nullptr, false);
  std::map<std::string, std::string> nodes;
  if (!parsed.is_object()) return fail(ErrorId::kCompareFailed, "the helper's answer is damaged");
  for (const auto& [value, node] : parsed.items())
    if (node.is_string()) nodes[value] = node.get<std::string>();
  return nodes;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code code;
  std::filesystem::path base = std::filesystem::temp_directory_path(code);
  if (code) base = "/tmp";
  std::string name = (base / "npugraph-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return fail(ErrorId::kFileWrite, text("cannot make a folder in '", base.string(), "'"),
                std::strerror(errno));
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Status export_onnx(const std::filesystem::path& model, const std::filesystem::path& onnx,
                   const std::vector<std::string>& input_names,
                   const std::vector<std::string>& output_names) {
  const DeferInterrupts defer;  // the folder is tidied up first
  NPU_LET(const TemporaryFolder folder, TemporaryFolder::create());
  const std::filesystem::path log = folder.path() / "log.txt";
  const std::string python = python_program();
  std::vector<std::string> words = {
      python,       "-m", "npugraph.helper", "export", std::filesystem::absolute(model).string(),
      onnx.string()};
  for (const std::string& name : input_names) words.push_back("--input-name=" + name);
  for (const std::string& name : output_names) words.push_back("--output-name=" + name);
  const int status = spawn_and_wait(words, log);
  if (interrupted() != 0)
    return fail(ErrorId::kCancelled, "compiling was interrupted while a model was exported");
  if (status == 0) return ok();
  const std::string said = file_text(log);
  const std::string place = text("'", model.string(), "'");
  if (auto missing = python_error(status, python, said,
                                  "npugraph; torch and onnxscript for PyTorch; tensorflow and "
                                  "tf2onnx for TensorFlow"))
    return at(place, *std::move(missing));
  return at(place, fail(ErrorId::kExportFailed, "the model could not be exported to ONNX",
                        last_line(said)));
}

Result<ForeignValues> run_onnxruntime(const std::filesystem::path& model,
                                      const std::vector<NamedArray>& inputs, bool all_values,
                                      int64_t threads) {
  const DeferInterrupts defer;  // the folder is tidied up first
  NPU_LET(const TemporaryFolder folder, TemporaryFolder::create());
  const std::filesystem::path in = folder.path() / "inputs.npz";
  const std::filesystem::path out = folder.path() / "outputs.npz";
  const std::filesystem::path nodes = folder.path() / "nodes.json";
  const std::filesystem::path log = folder.path() / "log.txt";
  NPU_TRY(write_npz(in, inputs));
  const std::string python = python_program();
  std::vector<std::string> words = {python,
                                    "-m",
                                    "npugraph.helper",
                                    "onnxruntime",
                                    std::filesystem::absolute(model).string(),
                                    in.string(),
                                    out.string(),
                                    nodes.string(),
                                    "--threads",
                                    std::to_string(threads)};
  if (all_values) words.emplace_back("--layers");
  const int status = spawn_and_wait(words, log);
  if (interrupted() != 0)
    return fail(ErrorId::kCancelled, "comparing was interrupted while onnxruntime ran");
  if (status != 0) return helper_error(status, python, file_text(log));
  ForeignValues result;
  NPU_LET(result.values, read_npz(out));
  NPU_LET(result.node_of, read_nodes(nodes));
  return result;
}

}  // namespace npugraph::tools
