// SPDX-License-Identifier: Apache-2.0
// X_fuzz [--runs N] [--seconds S] [--seed X]: gives the decoders inputs mutated from well-formed
// ones, keeps those that reach new code where that is seen, and fails on the first that a sanitizer or a demand
// objects to; that one is written to the working directory. X_fuzz FILE...: gives them the files.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "tests/fuzz/coverage.h"
#include "tests/fuzz/last_input.h"
#include "tests/fuzz/target.h"

namespace rdmaready {
namespace {

using Input = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  Input Next(const std::vector<Input>& corpus) {
    Input input = corpus[Below(corpus.size())];
    for (std::uint64_t changes = 1 + Below(6); changes > 0; --changes) Change(input);
    input.resize(std::clamp<std::size_t>(input.size(), 1, kMaxInputBytes));
    return input;
  }

 private:
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }

  std::uint8_t Interesting() {
    constexpr std::array<std::uint8_t, 12> kValues = {0, 1, 2, 3, 4, 0x10, 0x3d, 0x70, 0x72, 0x7f, 0x80, 0xff};
    return kValues[Below(kValues.size())];
  }

  void Change(Input& input) {
    if (input.empty()) input.push_back(0);
    // The fields that matter stand at the start.
    const std::size_t at = Below(Below(4) == 0 ? input.size() : std::min<std::size_t>(input.size(), 130));
    switch (Below(5)) {
      case 0:
        input[at] ^= static_cast<std::uint8_t>(1u << Below(8));
        break;
      case 1:
        input[at] = Interesting();
        break;
      case 2:
        input[at] = static_cast<std::uint8_t>(Below(256));
        break;
      case 3:
        input.resize(at);
        break;
      default:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), Below(40), Interesting());
    }
  }

  std::mt19937_64 random_;
};

void Play(const Input& input) {
  fuzz::Playing(std::as_bytes(std::span(input)));
  fuzz::StartCoverage();
  LLVMFuzzerTestOneInput(input.data(), input.size());
  fuzz::Playing({});
}

int PlayFiles(int count, char** names) {
  for (int i = 0; i < count; ++i) {
    std::ifstream file(names[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      std::cerr << names[i] << ": cannot be read\n";
      return 2;
    }
    Play({text.begin(), text.end()});
    std::cout << names[i] << ": played\n";
  }
  return 0;
}

int Fuzz(std::uint64_t runs, std::chrono::seconds time, std::uint64_t seed) {
  const Clock::time_point start = Clock::now();
  std::vector<Input> corpus = FuzzSeeds();
  const std::size_t seeds = corpus.size();
  for (const Input& input : corpus) {
    Play(input);
    fuzz::FoundNewCoverage();
  }
  Mutator mutator(seed);
  std::uint64_t played = 0;
  for (; played < runs || Clock::now() < start + time; ++played) {
    Input input = mutator.Next(corpus);
    Play(input);
    if (fuzz::FoundNewCoverage() && corpus.size() < 20'000) corpus.push_back(std::move(input));
  }
  std::cout << played << " inputs, " << seeds << " seeds, " << corpus.size() << " kept, "
            << fuzz::CoveredPlaces() << " places reached"
            << (fuzz::Instrumented() ? "\n" : ", not instrumented\n");
  if (!fuzz::Instrumented()) return 0;
  if (fuzz::CoveredPlaces() > 0 && corpus.size() > seeds) return 0;
  std::cout << "failed: no coverage, or the mutations reach nothing new\n";
  return 1;
}

int Main(int argc, char** argv) {
  fuzz::KeepLastInput();
  if (argc > 1 && !std::string_view(argv[1]).starts_with("--")) return PlayFiles(argc - 1, argv + 1);
  std::uint64_t runs = 0;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view word = argv[i];
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (word == "--runs") runs = number;
    if (word == "--seconds") seconds = number;
    if (word == "--seed") seed = number;
  }
  return Fuzz(runs, std::chrono::seconds(seconds), seed);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
