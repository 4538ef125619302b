// SPDX-License-Identifier: Apache-2.0
// profile_fuzz [--runs N] [--seconds S] [--seed X]: gives the decoders texts mutated from the built-in profiles
// and a site file, keeps those that reach new code, and fails on the first that a sanitizer or a demand objects
// to; that one is written to the working directory. profile_fuzz FILE...: gives them the files.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/profile/builtin.h"
#include "tests/fuzz/coverage.h"
#include "tests/fuzz/last_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rdmaready {
namespace {

using Clock = std::chrono::steady_clock;

// Words of the format and of YAML, and values at the edges.
constexpr auto kWords = std::to_array<std::string_view>({"extends: nvidia-lossless\n",
                                                         "extends: ",
                                                         "without: [",
                                                         "without: [tos, cnp.priority, ets]\n",
                                                         "name: ",
                                                         "summary: ",
                                                         "transport: ",
                                                         "rdma_priority: ",
                                                         "trust: ",
                                                         "dscp: ",
                                                         "tos: ",
                                                         "pfc: ",
                                                         "pfc: []\n",
                                                         "ets:\n",
                                                         "rdma_percent: ",
                                                         "tolerance_percent: ",
                                                         "classes:\n",
                                                         "- {priorities: [3], percent: 50}\n",
                                                         "strict: true",
                                                         "dcbx: ",
                                                         "mtu_bytes: ",
                                                         "roce_mtu_bytes: ",
                                                         "heartbeat: {priority: 7}\n",
                                                         "cnp: {dscp: 0}\n",
                                                         "priority: ",
                                                         "vlan: tagged\n",
                                                         "vlan_ids: [711, 712]\n",
                                                         "roles: [smb-server, nvme-host]\n",
                                                         "share_priority: true\n",
                                                         "firmware: [{driver: ice, min: 4.20}]\n",
                                                         "gpu_direct: true\n",
                                                         "multi_tenant: true\n",
                                                         "direct_link: true\n",
                                                         "rdma_max_rate_mbps: 40000\n",
                                                         "cable_metres: 300\n",
                                                         "min_throughput_mbps: 90000\n",
                                                         "min_worst_mbps: 10000\n",
                                                         "max_tcp_percent: 80\n",
                                                         "max_outage_ms: 1500\n",
                                                         "max_latency_us: 30\n",
                                                         "pkeys: [32767]\n",
                                                         "lldp_tlvs: [pfc]\n",
                                                         "advice: [ets]\n",
                                                         "dcb_set_by: elsewhere\n",
                                                         "marking: consumers\n",
                                                         "at_least: true",
                                                         "ecn: {}\n",
                                                         "min_bytes: ",
                                                         "max_bytes: ",
                                                         "probability_percent: ",
                                                         "digest: ",
                                                         "any",
                                                         "iwarp",
                                                         "null",
                                                         "~",
                                                         "0",
                                                         "7",
                                                         "8",
                                                         "63",
                                                         "64",
                                                         "106",
                                                         "255",
                                                         "4294967295",
                                                         "4294967296",
                                                         "18446744073709551615",
                                                         "-1",
                                                         "[",
                                                         "{",
                                                         "'",
                                                         "\"",
                                                         "\n",
                                                         "  ",
                                                         ": "});

// A site file, which most of the words above are for, too.
constexpr std::string_view kSite = R"(groups:
  - hosts: ["gpu-*", fs1]
    profiles:
      - {profile: ai-backend, ports: [{netdev: "rail*", driver: mlx5_core}, {subnet: 10.1.0.0/16, vlan: 711}]}
      - {profile: smb-direct-roce, ports: [{transport: roce-v2, pci: "0000:3b:*"}], expected: false}
  - hosts: ["*"]
    profiles: [{profile: nvidia-lossless}]
)";

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string Next(const std::vector<std::string>& corpus) {
    constexpr std::size_t kMostBytes = 8192;
    std::string text = corpus[Below(corpus.size())];
    for (std::uint64_t changes = 1 + Below(5); changes > 0; --changes) Change(text, corpus);
    if (text.size() > kMostBytes) text.resize(kMostBytes);
    return text;
  }

 private:
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }

  // The line that `at` is in: begin and length with its end.
  static std::pair<std::size_t, std::size_t> LineAt(const std::string& text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', begin);
    return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
  }

  void Change(std::string& text, const std::vector<std::string>& corpus) {
    if (text.empty()) text = "\n";
    const std::size_t at = Below(text.size());
    const auto [begin, length] = LineAt(text, at);
    switch (Below(7)) {
      case 0:
        text[at] = static_cast<char>(Below(256));
        break;
      case 1:
        text.insert(at, kWords[Below(kWords.size())]);
        break;
      case 2:
        text.insert(begin, kWords[Below(kWords.size())]);
        break;
      case 3:
        text.erase(begin, length);
        break;
      case 4:
        text.erase(at, Below(12));
        break;
      case 5: {
        const std::string& other = corpus[Below(corpus.size())];
        if (other.empty()) break;
        const auto [from, bytes] = LineAt(other, Below(other.size()));
        text.insert(begin, other.substr(from, bytes));
        break;
      }
      default:
        if (const std::size_t colon = text.find(": ", begin); colon < begin + length)
          text.replace(colon + 2, begin + length - colon - 2, std::string(kWords[Below(kWords.size())]) + "\n");
    }
  }

  std::mt19937_64 random_;
};

void Play(const std::string& text) {
  fuzz::Playing(std::as_bytes(std::span(text)));
  fuzz::StartCoverage();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
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
    Play(text);
    std::cout << names[i] << ": played\n";
  }
  return 0;
}

// Comments are most of a built-in profile, and no mutation of them reaches anything: each is a seed
// without, too.
std::string WithoutComments(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(' ') != std::string_view::npos) kept += std::string(line) + "\n";
  }
  return kept;
}

int Fuzz(std::uint64_t runs, std::chrono::seconds time, std::uint64_t seed) {
  const Clock::time_point start = Clock::now();
  std::vector<std::string> corpus;
  for (const BuiltInProfile& profile : BuiltInProfiles()) {
    corpus.emplace_back(profile.text);
    corpus.push_back(WithoutComments(profile.text));
  }
  corpus.emplace_back(kSite);
  const std::size_t seeds = corpus.size();
  for (const std::string& text : corpus) {
    Play(text);
    fuzz::FoundNewCoverage();
  }
  Mutator mutator(seed);
  std::uint64_t played = 0;
  for (; played < runs || Clock::now() < start + time; ++played) {
    std::string text = mutator.Next(corpus);
    Play(text);
    if (fuzz::FoundNewCoverage() && corpus.size() < 20'000) corpus.push_back(std::move(text));
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
