// SPDX-License-Identifier: Apache-2.0
// The collectors as a whole, against hosts whose answers were changed. The first byte of an input chooses the
// host: one with hardware, made by hand, or a recorded one; the rest says what becomes of its
// answers (splitter.h).
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/fuzz/facts/changed_host.h"
#include "tests/fuzz/facts/demands.h"
#include "tests/support/source_tree.h"
#include "tests/unit/collectors/hardware_fake_host.h"

namespace rdmaready {
namespace {

using fuzz::ChangedHost;
using fuzz::ChangeKind;
using fuzz::Control;
using fuzz::DemandSane;

constexpr const char* kRecordings[] = {"/two-rails-healthy/saved/storage1", "/stack/saved/storage4",
                                       "/iwarp/saved/storage3"};
constexpr std::size_t kHosts = 1 + std::size(kRecordings);
constexpr unsigned kQuestions = 256;  // more than any of the hosts is asked before its last netdev

const Recording& RecordingOf(std::size_t index) {
  static const auto* const all = [] {
    auto* recordings = new std::vector<Recording>();
    for (const char* place : kRecordings) {
      auto loaded = LoadRecordings(test::SourceTree() + "/tests/fixtures/hosts" + place);
      if (!loaded.ok() || loaded->size() != 1 || !loaded->front().recording.ok()) {
        std::cerr << place << ": cannot be read\n";
        std::exit(2);
      }
      recordings->push_back(*std::move(loaded->front().recording));
    }
    return recordings;
  }();
  return (*all)[index];
}

void Collect(HostReader& host, std::span<const std::uint8_t> bytes) {
  ChangedHost changed(host, bytes);
  DemandSane(CollectFacts(changed));
}

// Up to question `number` everything is as it was, then `change`.
std::vector<std::uint8_t> Seed(std::uint8_t host, unsigned number, std::vector<std::uint8_t> change) {
  std::vector<std::uint8_t> input{host};
  for (unsigned left = number; left > 0;) {
    const unsigned skipped = std::min<unsigned>(left, fuzz::kNumbers);
    input.push_back(Control(ChangeKind::kSkip, static_cast<std::uint8_t>(skipped - 1)));
    left -= skipped;
  }
  input.insert(input.end(), change.begin(), change.end());
  return input;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::uint8_t host = 0; host < kHosts; ++host) {
    seeds.push_back({host});
    for (unsigned number = 0; number < kQuestions; number += 4) {
      const auto kind = static_cast<std::uint8_t>(number / 4);
      seeds.push_back(Seed(host, number, {Control(ChangeKind::kFail, kind)}));
      seeds.push_back(Seed(host, number + 1, {Control(ChangeKind::kEdit, fuzz::kNumbers - 1), 20, 0}));
      seeds.push_back(Seed(host, number + 2, {Control(ChangeKind::kEdit, 1), 4, 0, 0xff, 17, 0, 0}));
      seeds.push_back(Seed(host, number + 3, {Control(ChangeKind::kReplace, 2), '1', '\n', 8, 0, 1, 0, 0, 0}));
    }
  }
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const std::size_t host = data[0] % rdmaready::kHosts;
  if (host == 0) {
    rdmaready::FakeHost hardware = rdmaready::HardwareFakeHost();
    rdmaready::Collect(hardware, bytes);
  } else {
    rdmaready::RecordedHost recorded(rdmaready::RecordingOf(host - 1));
    rdmaready::Collect(recorded, bytes);
  }
  return 0;
}
