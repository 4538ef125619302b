// SPDX-License-Identifier: Apache-2.0
// smbdirect_fuzz [--runs N] [--seconds S] [--seed X]: plays scripts mutated from recorded sessions, keeps those
// that reach new code, and fails on the first that a sanitizer or the machine's judge objects to; that one is
// written to the working directory. smbdirect_fuzz FILE...: plays the files.
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/coverage.h"
#include "tests/fuzz/last_input.h"
#include "tests/fuzz/smbdirect/machine.h"
#include "tests/fuzz/smbdirect/mutate.h"
#include "tests/fuzz/smbdirect/record.h"

namespace rdmaready::smbdirect {
namespace {

using Script = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

// The sanitizers' own memory included: they keep 256 MiB of what was freed.
constexpr long kMostMemoryKib = 1'024 * 1'024;
constexpr std::size_t kMostCorpus = 20'000;

struct Options {
  std::uint64_t runs = 0;
  std::chrono::seconds time{0};
  std::uint64_t seed = 1;
  std::vector<std::string> files{};
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::uint64_t number = i + 1 < argc ? std::strtoull(argv[i + 1], nullptr, 10) : 0;
    if (word == "--runs") options.runs = number;
    if (word == "--seconds") options.time = std::chrono::seconds(number);
    if (word == "--seed") options.seed = number;
    if (word.starts_with("--")) {
      ++i;
    } else {
      options.files.emplace_back(word);
    }
  }
  return options;
}

long MemoryKib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class Fuzzer {
 public:
  explicit Fuzzer(std::uint64_t seed) : mutator_(seed) {}

  void Seed() {
    for (Script& script : RecordSessions()) {
      Run(script);
      fuzz::FoundNewCoverage();
      corpus_.push_back(std::move(script));
    }
    sessions_ = corpus_.size();
  }

  void Run(const Script& script) {
    fuzz::Playing(script);
    fuzz::StartCoverage();
    const std::optional<EndReason> end = Play(script);
    fuzz::Playing({});
    ++runs_;
    if (end) ends_.insert(*end);
  }

  void RunNew() {
    Script script = mutator_.Next(corpus_);
    Run(script);
    if (fuzz::FoundNewCoverage() && corpus_.size() < kMostCorpus) corpus_.push_back(std::move(script));
  }

  std::uint64_t runs() const { return runs_; }

  // 0 when the run is worth something.
  int Report(Clock::duration took) const {
    std::cout << runs_ << " scripts, " << sessions_ << " recorded, " << corpus_.size() << " kept, "
              << fuzz::CoveredPlaces() << " places reached, " << ends_.size() << " of "
              << static_cast<int>(kLastReason) + 1 << " ways to end, " << MemoryKib() / 1024 << " MiB at most, "
              << std::chrono::duration_cast<std::chrono::seconds>(took).count() << " s\n";
    for (int i = static_cast<int>(kFirstReason); i <= static_cast<int>(kLastReason); ++i) {
      const auto reason = static_cast<EndReason>(i);
      if (!ends_.contains(reason)) std::cout << "  not reached: " << Text(reason) << '\n';
    }
    if (MemoryKib() > kMostMemoryKib) return Fail("memory without bounds");
    if (!fuzz::Instrumented()) return ends_.size() < kFewestEnds ? Fail("too few ways to end were reached") : 0;
    if (fuzz::CoveredPlaces() == 0) return Fail("no coverage: compiled without it?");
    if (corpus_.size() <= sessions_) return Fail("the mutations reach nothing new");
    if (ends_.size() < kFewestEnds) return Fail("too few ways to end were reached");
    return 0;
  }

 private:
  static constexpr std::size_t kFewestEnds = 24;

  static int Fail(const char* why) {
    std::cout << "failed: " << why << '\n';
    return 1;
  }

  Mutator mutator_;
  std::vector<Script> corpus_{};
  std::size_t sessions_ = 0;
  std::uint64_t runs_ = 0;
  std::set<EndReason> ends_{};
};

int PlayFiles(const std::vector<std::string>& files) {
  for (const std::string& name : files) {
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      std::cerr << name << ": cannot be read\n";
      return 2;
    }
    const std::optional<EndReason> end = Play(std::as_bytes(std::span(text)));
    std::cout << name << ": " << (end ? Text(*end) : "alive") << '\n';
  }
  return 0;
}

int Main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  fuzz::KeepLastInput();
  if (!options.files.empty()) return PlayFiles(options.files);
  const Clock::time_point start = Clock::now();
  Fuzzer fuzzer(options.seed);
  fuzzer.Seed();
  while (fuzzer.runs() < options.runs || Clock::now() < start + options.time) fuzzer.RunNew();
  return fuzzer.Report(Clock::now() - start);
}

}  // namespace
}  // namespace rdmaready::smbdirect

int main(int argc, char** argv) { return rdmaready::smbdirect::Main(argc, argv); }
