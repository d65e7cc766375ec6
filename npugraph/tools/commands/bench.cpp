// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/platform.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/commands/engine_report.h"
#include "npugraph/tools/measure/latency.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/progress.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

struct BenchOptions {
  std::string file;
  int64_t runs = 1000;
  int64_t warmup = 10;
  int64_t threads = 0;
  DeviceArguments devices;
  CompileArguments compile;
  InputArguments inputs;
  bool as_json = false;
};

double us_since(steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(steady_clock::now() - begin).count();
}

/// Processor time of all threads of this process, in microseconds.
double cpu_us() {
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

/// What the measured runs cost.
struct Samples {
  std::vector<double> wall_us;
  std::vector<double> virtual_us;  // empty without a simulated device
  std::map<std::string, double> busy_us;
  double total_wall_us = 0;
  double total_cpu_us = 0;
};

Status warm_up(Session& session, const std::vector<TensorView>& inputs, int64_t runs) {
  for (int64_t i = 0; i < runs; ++i) {
    const auto outputs = session.run(inputs);
    if (!outputs) return outputs.error();
  }
  return ok();
}

Result<Samples> measure(Session& session, const std::vector<TensorView>& inputs,
                        const BenchOptions& options) {
  NPU_TRY(warm_up(session, inputs, options.warmup));
  ProgressBar bar;
  const Progress progress = bar.callback();
  Samples samples;
  samples.wall_us.reserve(static_cast<size_t>(options.runs));
  const double cpu_before = cpu_us();
  const auto begin = steady_clock::now();
  for (int64_t i = 0; i < options.runs; ++i) {
    const auto start = steady_clock::now();
    NPU_TRY(session.run(inputs, {}));
    samples.wall_us.push_back(us_since(start));
    const RunTimes times = session.times();
    if (times.virtual_ns > 0)
      samples.virtual_us.push_back(static_cast<double>(times.virtual_ns) / 1000);
    for (const auto& [device, busy_ns] : times.busy_ns)
      samples.busy_us[device] += static_cast<double>(busy_ns) / 1000;
    progress("measuring", static_cast<double>(i + 1) / static_cast<double>(options.runs));
  }
  samples.total_wall_us = us_since(begin);
  samples.total_cpu_us = cpu_us() - cpu_before;
  return samples;
}

json latency_json(const std::vector<double>& samples) {
  const Latency row = latency(samples);
  return {{"mean", row.mean}, {"median", row.median}, {"p90", row.p90},
          {"p99", row.p99},   {"min", row.min},       {"max", row.max}};
}

double sum(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out += value;
  return out;
}

/// Busy time over elapsed time of the device's own clock, in percent, by device.
json utilisation_json(const Library& library, const Samples& samples) {
  json out = json::object();
  for (const DeviceDescription& device : library.devices()) {
    const auto busy = samples.busy_us.find(device.name);
    if (busy == samples.busy_us.end()) continue;
    // With a simulated device in the engine, host tasks take simulated time too.
    const double elapsed =
        samples.virtual_us.empty() ? sum(samples.wall_us) : sum(samples.virtual_us);
    out[device.name] = elapsed > 0 ? 100 * busy->second / elapsed : 0;
  }
  return out;
}

void print_text(const json& report) {
  Table table({"latency, us", ">mean", ">median", ">P90", ">P99", ">min", ">max"});
  const auto add = [&](const char* title, const json& row) {
    std::vector<std::string> cells = {title};
    for (const char* key : {"mean", "median", "p90", "p99", "min", "max"})
      cells.push_back(number_str(row[key].get<double>()));
    table.add(std::move(cells));
  };
  add("wall clock", report["latency_us"]);
  if (report.contains("virtual_latency_us")) add("simulated", report["virtual_latency_us"]);
  table.print(std::cout);
  std::cout << "runs: " << report["runs"].dump() << " after " << report["warmup"].dump()
            << " to warm up, threads: " << report["threads"].dump()
            << "\ncpu: " << number_str(report["cpu_percent"].get<double>())
            << " % of one processor\n";
  for (const auto& [device, percent] : report["device_utilisation_percent"].items())
    std::cout << "busy " << device << ": " << number_str(percent.get<double>()) << " %\n";
  std::cout << "peak memory: " << bytes_str(report["peak_rss_bytes"].get<int64_t>()) << '\n';
  if (!report["compile_ms"].is_null())
    std::cout << "compile: " << number_str(report["compile_ms"].get<double>()) << " ms\n";
  std::cout << "load: " << number_str(report["load_ms"].get<double>())
            << " ms, first run: " << number_str(report["first_run_ms"].get<double>()) << " ms\n";
}

json report_json(const BenchOptions& options, const Library& library, const Samples& samples) {
  json report = {{"file", options.file},
                 {"runs", options.runs},
                 {"warmup", options.warmup},
                 {"threads", options.threads > 0 ? options.threads : cpu_count()},
                 {"latency_us", latency_json(samples.wall_us)},
                 {"samples_us", samples.wall_us},
                 {"cpu_percent", 100 * samples.total_cpu_us / samples.total_wall_us},
                 {"device_utilisation_percent", utilisation_json(library, samples)}};
  if (!samples.virtual_us.empty()) {
    report["virtual_latency_us"] = latency_json(samples.virtual_us);
    report["virtual_samples_us"] = samples.virtual_us;
  }
  return report;
}

Result<int> run(const BenchOptions& options, const CLI::App& app) {
  NPU_LET(const Library library, options.devices.library());
  NPU_LET(const LoadedEngine loaded, open_or_compile(library, options.file, options.compile, app));
  auto begin = steady_clock::now();
  NPU_LET(Session session, Session::create(library, loaded.engine, {.threads = options.threads}));
  const double load_ms = loaded.open_ms + us_since(begin) / 1000;
  std::vector<PortDescription> ports = session.inputs();
  NPU_LET(const auto shapes, parse_shapes(options.compile.shapes));
  NPU_TRY(apply_shapes(shapes, ports));
  NPU_LET(const std::vector<Tensor> inputs, options.inputs.load(ports, 0));
  const std::vector<TensorView> views = views_of(inputs);

  begin = steady_clock::now();
  NPU_TRY(warm_up(session, views, 1));
  const double first_run_ms = us_since(begin) / 1000;
  NPU_LET(const Samples samples, measure(session, views, options));

  json report = report_json(options, library, samples);
  report["load_ms"] = load_ms;
  report["first_run_ms"] = first_run_ms;
  report["compile_ms"] = nullptr;
  if (loaded.compiled)
    report["compile_ms"] = static_cast<double>(loaded.engine.times().total_us()) / 1000;
  report["peak_rss_bytes"] = peak_rss_bytes();
  report["arena_bytes"] = session.counters().arena_bytes;
  if (options.as_json)
    print_json(report);
  else
    print_text(report);
  return kExitOk;
}

}  // namespace

Command add_bench(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", "Measure an engine or a model");
  auto options = std::make_shared<BenchOptions>();
  app->add_option("file", options->file, "Engine, or ONNX model (compiled first)")
      ->required()
      ->type_name("ENGINE|MODEL");
  app->add_option("--runs", options->runs, "Measured runs")
      ->check(at_least(1))
      ->capture_default_str();
  app->add_option("--warmup", options->warmup, "Runs before measuring, the first one apart")
      ->check(at_least(0))
      ->capture_default_str();
  app->add_option("--threads", options->threads, "Host threads, this one included; 0: all")
      ->check(at_least(0))
      ->capture_default_str();
  options->inputs.add(*app);
  options->compile.add(*app, false);
  options->devices.add(*app);
  app->add_flag("--json", options->as_json, "Print JSON, with every sample");
  app->footer(
      "Latencies are wall clock in microseconds, percentiles nearest-rank. cpu is the processor\n"
      "time of all threads over the wall time; busy is a device's computing time over its own\n"
      "clock. Without --input the inputs are random with seed 0.");
  return {app, [options, app] { return run(*options, *app); }};
}

}  // namespace npugraph::tools
