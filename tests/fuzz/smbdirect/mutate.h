// SPDX-License-Identifier: Apache-2.0
// Mutator: scripts made from scripts: by bytes, by fields of messages, and by whole records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace rdmaready::smbdirect {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  using Script = std::vector<std::byte>;

  // A script of `corpus`, which is not empty, changed one to eight times.
  Script Next(std::span<const Script> corpus);

 private:
  struct Record {
    std::size_t at = 0;    // of the operation
    std::size_t size = 0;  // with its three bytes of head
  };
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }
  static std::vector<Record> RecordsOf(const Script& script);
  std::uint32_t Interesting();
  void ChangeByte(Script& script);
  void ChangeField(Script& script);
  void ChangeRecords(Script& script, const Script& other);
  void InsertRecord(Script& script);

  std::mt19937_64 random_;
};

}  // namespace rdmaready::smbdirect
