// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/smbdirect/mutate.h"

#include <algorithm>
#include <array>

#include "tests/fuzz/smbdirect/machine.h"

namespace rdmaready::smbdirect {
namespace {

constexpr std::size_t kMostScriptBytes = 64 * 1024;
constexpr std::size_t kHeadBytes = 3;

void PutLittle(std::span<std::byte> bytes, std::uint32_t value) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
}

}  // namespace

std::vector<Mutator::Record> Mutator::RecordsOf(const Script& script) {
  std::vector<Record> records;
  for (std::size_t at = 1; at + kHeadBytes <= script.size();) {
    const std::size_t operand =
        std::to_integer<std::size_t>(script[at + 1]) + (std::to_integer<std::size_t>(script[at + 2]) << 8);
    const std::size_t size = std::min(kHeadBytes + operand, script.size() - at);
    records.push_back({at, size});
    at += size;
  }
  return records;
}

std::uint32_t Mutator::Interesting() {
  constexpr std::array<std::uint32_t, 24> values = {
      0,   1,   2,   7,   8,    16,   19,   20,      23,      24,         25,         32,
      127, 128, 255, 256, 1364, 8136, 8192, 131'071, 131'072, 0x7fffffff, 0xfffffff8, 0xffffffff};
  return values[Below(values.size())] + static_cast<std::uint32_t>(Below(4) == 0 ? Below(3) - 1 : 0);
}

void Mutator::ChangeByte(Script& script) {
  std::byte& byte = script[Below(script.size())];
  switch (Below(3)) {
    case 0:
      byte ^= static_cast<std::byte>(1u << Below(8));
      break;
    case 1:
      byte = static_cast<std::byte>(Below(256));
      break;
    default:
      byte = static_cast<std::byte>(Interesting() & 0xff);
  }
}

// A field of 2 or 4 bytes at one of the places where the messages of MS-SMBD have them; of a message, when one
// is found among the many small records.
void Mutator::ChangeField(Script& script) {
  const std::vector<Record> records = RecordsOf(script);
  if (records.empty()) return;
  Record record = records[Below(records.size())];
  for (int tries = 0; tries < 8 && record.size < kHeadBytes + kDataHeaderBytes; ++tries) {
    record = records[Below(records.size())];
  }
  const std::size_t field = Below(16) * 2;
  const std::size_t width = field < 8 || Below(3) == 0 ? 2 : 4;
  if (kHeadBytes + field + width > record.size) return;
  PutLittle(std::span(script).subspan(record.at + kHeadBytes + field, width), Interesting());
}

void Mutator::ChangeRecords(Script& script, const Script& other) {
  const std::vector<Record> records = RecordsOf(script);
  const std::vector<Record> others = RecordsOf(other);
  if (records.empty() || others.empty()) return;
  const Record& one = records[Below(records.size())];
  const auto at = script.begin() + static_cast<std::ptrdiff_t>(one.at);
  const auto end = at + static_cast<std::ptrdiff_t>(one.size);
  switch (Below(4)) {
    case 0:
      script.erase(at, end);
      break;
    case 1: {  // again
      const Script copy(at, end);
      script.insert(at, copy.begin(), copy.end());
      break;
    }
    case 2: {  // one of another session
      const Record& foreign = others[Below(others.size())];
      const auto from = other.begin() + static_cast<std::ptrdiff_t>(foreign.at);
      script.insert(at, from, from + static_cast<std::ptrdiff_t>(foreign.size));
      break;
    }
    default: {  // and from here on another session
      const Record& foreign = others[Below(others.size())];
      script.erase(at, script.end());
      script.insert(script.end(), other.begin() + static_cast<std::ptrdiff_t>(foreign.at), other.end());
    }
  }
}

void Mutator::InsertRecord(Script& script) {
  std::vector<std::byte> operand(Below(4) == 0 ? Below(600) : Below(40));
  for (std::byte& byte : operand) byte = static_cast<std::byte>(Below(4) == 0 ? Below(256) : 0);
  for (std::size_t at = 0; at + 4 <= operand.size() && at < 24; at += 4) {
    if (Below(2) == 0) PutLittle(std::span(operand).subspan(at, 4), Interesting());
  }
  std::vector<std::byte> record;
  Append(record, static_cast<Op>(Below(kOps)), operand);
  const std::vector<Record> records = RecordsOf(script);
  const std::size_t at = records.empty() ? script.size() : records[Below(records.size())].at;
  script.insert(script.begin() + static_cast<std::ptrdiff_t>(at), record.begin(), record.end());
}

Mutator::Script Mutator::Next(std::span<const Script> corpus) {
  Script script = corpus[Below(corpus.size())];
  const Script& other = corpus[Below(corpus.size())];
  for (std::uint64_t changes = 1 + Below(8); changes > 0; --changes) {
    if (script.empty()) script.push_back(std::byte{0});
    switch (Below(8)) {
      case 0:
      case 1:
        ChangeByte(script);
        break;
      case 2:
      case 3:
      case 4:
        ChangeField(script);
        break;
      case 5:
      case 6:
        ChangeRecords(script, other);
        break;
      default:
        InsertRecord(script);
    }
  }
  script.resize(std::min(script.size(), kMostScriptBytes));
  return script;
}

}  // namespace rdmaready::smbdirect
