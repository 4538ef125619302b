// SPDX-License-Identifier: Apache-2.0
// Papers: what each host of a fleet has of what a group should have in common, in numbers. 20,000 hosts have
// few different words among them; each stands once, in a pool.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rdmaready::hub {

// A word as a number, from 1; 0 is the empty one. Not for several threads at a time.
class WordPool {
 public:
  std::uint32_t Put(std::string_view word);
  const std::string& At(std::uint32_t number) const;
  std::size_t size() const { return words_.size(); }

 private:
  std::deque<std::string> words_{};  // stay where they are
  std::unordered_map<std::string_view, std::uint32_t> numbers_{};
};

struct PaperVote {
  std::uint16_t check = 0;  // index into AllChecks()
  bool known = true;        // false: `value` says why it is not
  std::uint32_t value = 0;
  bool operator==(const PaperVote&) const = default;
};

struct PaperPort {
  std::uint32_t subject = 0;
  std::uint32_t name = 0;  // device and port alone
  std::uint32_t profile = 0;
  std::uint32_t subnet = 0;
  std::uint32_t board = 0;
  std::vector<PaperVote> votes{};
  bool operator==(const PaperPort&) const = default;
};

struct Paper {
  std::vector<PaperPort> ports{};
  bool operator==(const Paper&) const = default;
};

}  // namespace rdmaready::hub
