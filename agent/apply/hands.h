// SPDX-License-Identifier: Apache-2.0
// Hands: how the engine reads and writes single settings: nothing is written that the journal does not have.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/applier.h"
#include "agent/apply/board.h"
#include "agent/apply/ledger.h"

namespace rdmaready::apply {

struct WriteOrder {
  std::string_view change_id{};  // empty: of no change
  std::string_view why{};        // kWhyApply, kWhyTakeBack, kWhyRestore
  bool must_journal = true;      // else it is written, too, when the disk is full: taking back must go on
};

// One thread at a time.
class Hands {
 public:
  Hands(const ApplierSeams& seams, Ledger& ledger, Board& board)
      : seams_(seams), ledger_(ledger), board_(board) {}

  // Each of `objects` as it is now; an error where it cannot be read.
  SettingValues Read(const std::vector<SettingObject>& objects) const;
  absl::StatusOr<std::string> Read(const SettingObject& object) const;

  // As Read, until it is `to` or `within_ms` have passed: a driver may reset its device first.
  absl::StatusOr<std::string> ReadUntil(const Setting& to, std::uint32_t within_ms,
                                        const std::stop_token& stop = {}) const;

  // Writes, and does not read back. Error: the journal's, then nothing was sent; or the writer's.
  absl::Status Write(const WriteOrder& order, std::string_view from, const Setting& to) const;

  // Whether the device is there. An error that says nothing of it counts as there.
  bool DeviceIsThere(const SettingObject& object) const;

  // Which hardware has it; empty: not known.
  std::string IdentityOf(const SettingObject& object) const;

  // Why it is not set: its name is another device's now. Empty: it is not.
  std::string WhyAnother(const SettingObject& object, const std::string& identity) const;

  void Sleep(std::uint32_t ms, const std::stop_token& stop = {}) const;

 private:
  const ApplierSeams& seams_;
  Ledger& ledger_;
  Board& board_;
};

}  // namespace rdmaready::apply
