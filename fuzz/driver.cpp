// SPDX-License-Identifier: Apache-2.0
// A seeded mutator around one fuzz target:
//   fuzz_onnx_import CORPUS... [--runs N] [--seconds S] [--seed N] [--max-bytes N]
//                              [--flips N] [--state FILE] [--only RUN --save FILE]
// CORPUS: files, or folders of files. Each is run as it is, then N mutations of them. With
// --flips, the mutations are what a disk or a network does: of each file, N times one byte changed
// or, each tenth time, the end cut off. A run depends on the seed and its number alone: `--only RUN
// --save FILE` writes the input of the run whose number --state FILE holds after a crash.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "fuzz/driver.h"

namespace npugraph::fuzz {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> corpus;
  uint64_t runs = 10'000;
  uint64_t flips = 0;  // of each file, instead of runs
  double seconds = std::numeric_limits<double>::infinity();
  uint64_t seed = 1;
  size_t max_bytes = 1 << 16;
  std::string state_path;
  std::optional<uint64_t> only;
  std::string save_path;
};

[[noreturn]] void usage(const char* why) {
  std::fprintf(
      stderr,
      "%s\nusage: CORPUS... [--runs N] [--seconds S] [--seed N] [--max-bytes N] [--flips N] "
      "[--state FILE] [--only RUN --save FILE]\n",
      why);
  std::exit(2);
}

template <class T>
T number(const char* word) {
  T value{};
  const char* const end = word + std::strlen(word);
  const auto [stop, error] = std::from_chars(word, end, value);
  if (error != std::errc() || stop != end) usage("a number was expected");
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      options.corpus.emplace_back(word);
      continue;
    }
    if (i + 1 == argc) usage("an option lacks its value");
    const char* const value = argv[++i];
    if (word == "--runs") {
      options.runs = number<uint64_t>(value);
    } else if (word == "--flips") {
      options.flips = number<uint64_t>(value);
    } else if (word == "--seconds") {
      options.seconds = number<double>(value);
    } else if (word == "--seed") {
      options.seed = number<uint64_t>(value);
    } else if (word == "--max-bytes") {
      options.max_bytes = number<size_t>(value);
    } else if (word == "--state") {
      options.state_path = value;
    } else if (word == "--only") {
      options.only = number<uint64_t>(value);
    } else if (word == "--save") {
      options.save_path = value;
    } else {
      usage("unknown option");
    }
  }
  return options;
}

Bytes read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  const auto* data = reinterpret_cast<const std::byte*>(content.data());
  return {data, data + content.size()};
}

/// Files in a fixed order, so that a run's number means the same next time.
std::vector<Bytes> read_corpus(const Options& options) {
  std::vector<fs::path> paths;
  for (const std::string& name : options.corpus) {
    if (!fs::is_directory(name)) {
      paths.emplace_back(name);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(name))
      if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const fs::path& path : paths) {
    Bytes bytes = read_file(path);
    if (bytes.size() <= options.max_bytes) corpus.push_back(std::move(bytes));
  }
  corpus.emplace_back();  // the empty input
  return corpus;
}

size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

void insert_noise(Bytes& bytes, Random& random) {
  Bytes noise(1 + below(random, 8));
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  const auto at = static_cast<std::ptrdiff_t>(below(random, bytes.size() + 1));
  bytes.insert(bytes.begin() + at, noise.begin(), noise.end());
}

void overwrite_number(Bytes& bytes, Random& random) {
  constexpr uint64_t kNumbers[] = {0,          1,          0x7f,       0x80,        0xff,
                                   0x7fff,     0xffff,     0x7fffffff, 0xffffffff,  1ull << 40,
                                   1ull << 62, 1ull << 63, ~0ull,      ~0ull << 31, 1ull << 32};
  const uint64_t value = kNumbers[below(random, std::size(kNumbers))];
  const size_t width = size_t{1} << below(random, 4);
  if (bytes.size() < width) return;
  std::memcpy(bytes.data() + below(random, bytes.size() - width + 1), &value, width);
}

void copy_range(Bytes& bytes, const Bytes& from, Random& random) {
  if (from.empty()) return;
  const size_t first = below(random, from.size());
  const size_t count = 1 + below(random, std::min<size_t>(from.size() - first, 256));
  const Bytes part(from.begin() + static_cast<std::ptrdiff_t>(first),
                   from.begin() + static_cast<std::ptrdiff_t>(first + count));
  const auto at = static_cast<std::ptrdiff_t>(below(random, bytes.size() + 1));
  bytes.insert(bytes.begin() + at, part.begin(), part.end());
}

void erase_range(Bytes& bytes, Random& random) {
  const size_t first = below(random, bytes.size());
  const size_t count = 1 + below(random, std::min<size_t>(bytes.size() - first, 64));
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(first),
              bytes.begin() + static_cast<std::ptrdiff_t>(first + count));
}

void mutate_bytes(Bytes& bytes, const Bytes& other, Random& random) {
  switch (bytes.empty() ? 1 : below(random, 7)) {
    case 0:
      bytes[below(random, bytes.size())] ^= static_cast<std::byte>(1u << below(random, 8));
      break;
    case 1:
      insert_noise(bytes, random);
      break;
    case 2:
      overwrite_number(bytes, random);
      break;
    case 3:
      copy_range(bytes, bytes, random);
      break;
    case 4:
      copy_range(bytes, other, random);
      break;
    case 5:
      erase_range(bytes, random);
      break;
    default:
      bytes.resize(below(random, bytes.size() + 1));
      break;
  }
}

/// The file of the corpus that the run belongs to, with one byte changed; each tenth time cut off.
Bytes flip(const std::vector<Bytes>& corpus, uint64_t run, const Options& options) {
  Random random(options.seed * 0x9e3779b97f4a7c15ull + run);
  const uint64_t number = run - corpus.size();
  Bytes bytes = corpus[number / options.flips];
  if (bytes.empty()) return bytes;
  const size_t place = below(random, bytes.size());
  if (number % 10 == 9)
    bytes.resize(place);
  else
    bytes[place] ^= static_cast<std::byte>(1 + below(random, 255));
  return bytes;
}

/// The input of run `run`.
Bytes make_input(const std::vector<Bytes>& corpus, uint64_t run, const Options& options) {
  if (run < corpus.size()) return corpus[run];
  if (options.flips != 0) return flip(corpus, run, options);
  Random random(options.seed * 0x9e3779b97f4a7c15ull + run);
  Bytes bytes = corpus[below(random, corpus.size())];
  const Bytes& other = corpus[below(random, corpus.size())];
  const uint64_t rounds = 1 + below(random, 4);
  for (uint64_t round = 0; round < rounds; ++round) mutate_format(bytes, other, random);
  if (below(random, 2) == 0)
    for (uint64_t round = 0; round < rounds; ++round) mutate_bytes(bytes, other, random);
  if (bytes.size() > options.max_bytes) bytes.resize(options.max_bytes);
  return bytes;
}

void run_all(const std::vector<Bytes>& corpus, const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::FILE* state =
      options.state_path.empty() ? nullptr : std::fopen(options.state_path.c_str(), "w");
  double slowest = 0, before = 0;
  uint64_t run = 0, slowest_run = 0;
  const uint64_t more = options.flips != 0 ? options.flips * corpus.size() : options.runs;
  const uint64_t total = corpus.size() + more;
  for (; run < total && before < options.seconds; ++run) {
    if (state != nullptr) {
      std::rewind(state);
      std::fprintf(state, "%020llu\n", static_cast<unsigned long long>(run));
      std::fflush(state);
    }
    fuzz_one(make_input(corpus, run, options));
    const double now = elapsed();
    if (now - before > slowest) slowest = now - before, slowest_run = run;
    before = now;
  }
  if (state != nullptr) std::fclose(state);
  std::printf("%llu runs in %.1f s, no finding; slowest: run %llu, %.3f s\n",
              static_cast<unsigned long long>(run), before,
              static_cast<unsigned long long>(slowest_run), slowest);
}

}  // namespace
}  // namespace npugraph::fuzz

int main(int argc, char** argv) {
  using namespace npugraph::fuzz;
  const Options options = parse(argc, argv);
  const std::vector<Bytes> corpus = read_corpus(options);
  if (!options.only) {
    run_all(corpus, options);
    return 0;
  }
  const Bytes input = make_input(corpus, *options.only, options);
  if (!options.save_path.empty())
    std::ofstream(options.save_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  fuzz_one(input);
  return 0;
}
