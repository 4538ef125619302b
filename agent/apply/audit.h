// SPDX-License-Identifier: Apache-2.0
// AuditTrail: who had which setting changed, by which way, and what came of it; and who was refused. A chained
// file (chain.h) of root's in the applier's state directory: the agent, which listens on the network, cannot
// reach it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/chain.h"
#include "agent/apply/disk.h"

namespace rdmaready::apply {

struct AuditEntry {
  std::string who{};     // and by which way: Change::requester; "applier": by itself
  std::string what{};    // "apply", "write", "take back", "confirm", "restore", "forget", "refused"
  std::string change{};  // its id; empty: of none
  std::string object{};  // TextOf(SettingObject); empty: of none
  std::string from{};
  std::string to{};
  std::string result{};  // "ok", or words
};

struct AuditSummary {
  ChainMark end{};      // its last line
  ChainMark journal{};  // the last line of the journal that it names

  bool operator==(const AuditSummary&) const = default;
};

// The last segment, without changing it. kNotFound: the file is not there. kDataLoss: the first line that does
// not fit.
absl::StatusOr<AuditSummary> VerifyAudit(const std::string& path);
// Every segment; errors as those of VerifySegments.
absl::StatusOr<AuditSummary> VerifyWholeAudit(const std::string& path);

// One thread at a time.
class AuditTrail {
 public:
  // `known`: a line that the journal names. Errors: those of ChainedFile::Open.
  static absl::StatusOr<AuditTrail> Open(Disk& disk, const std::string& path, const ChainMark& known);

  // On the medium when it returns. The line names `journal`.
  absl::Status Write(const AuditEntry& entry, std::int64_t unix_ns, const ChainMark& journal);

  // Seals the segment and begins the next one. Errors: those of ChainedFile::Seal.
  absl::Status Seal(std::int64_t unix_ns, const ChainMark& journal);
  std::uint64_t bytes() const { return file_.end().bytes; }  // of this segment
  const std::string& missing() const { return file_.missing(); }

  ChainMark mark() const { return MarkOf(file_.end()); }

 private:
  explicit AuditTrail(ChainedFile file) : file_(std::move(file)) {}

  ChainedFile file_;
};

}  // namespace rdmaready::apply
