// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/audit.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready::apply {
namespace {

constexpr std::size_t kMostTextBytes = 1024;  // of what outsiders wrote

// Finds the journal's mark in one line.
absl::Status ReadAuditLine(std::string_view record, ChainMark& journal) {
  nlohmann::json json = nlohmann::json::parse(record, nullptr, false);
  if (!json.is_object()) return absl::DataLossError("it is no record of an audit");
  if (const auto summary = json.find("summary"); summary != json.end() && json.contains("segment")) {
    if (!summary->is_object()) return absl::DataLossError("the beginning of a segment has no summary");
    const nlohmann::json of_segment = *summary;
    json = of_segment;
  }
  const auto lines = json.find("journal_lines");
  const auto head = json.find("journal_head");
  if (lines == json.end() || head == json.end() || !lines->is_number_unsigned() || !head->is_string())
    return absl::DataLossError("it does not name the journal");
  journal = {lines->get<std::uint64_t>(), head->get<std::string>()};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AuditSummary> VerifyAudit(const std::string& path) {
  AuditSummary summary;
  RR_ASSIGN_OR_RETURN(const ChainEnd end, ReadChain(path, [&](std::string_view record, const ChainEnd&) {
                        return ReadAuditLine(record, summary.journal);
                      }));
  summary.end = MarkOf(end);
  return summary;
}

absl::StatusOr<AuditSummary> VerifyWholeAudit(const std::string& path) {
  AuditSummary summary;
  RR_ASSIGN_OR_RETURN(const ChainEnd end, VerifySegments(path, [&](std::string_view record, const ChainEnd&) {
                        return ReadAuditLine(record, summary.journal);
                      }));
  summary.end = MarkOf(end);
  return summary;
}

absl::StatusOr<AuditTrail> AuditTrail::Open(Disk& disk, const std::string& path, const ChainMark& known) {
  ChainMark journal;
  RR_ASSIGN_OR_RETURN(ChainedFile file,
                      ChainedFile::Open(disk, path, known, [&](std::string_view record, const ChainEnd&) {
                        return ReadAuditLine(record, journal);
                      }));
  return AuditTrail(std::move(file));
}

absl::Status AuditTrail::Write(const AuditEntry& entry, std::int64_t unix_ns, const ChainMark& journal) {
  const nlohmann::json json{{"unix_ns", unix_ns},
                            {"time", TimeText(unix_ns)},
                            {"who", SafeLine(entry.who, kMostTextBytes)},
                            {"what", entry.what},
                            {"change", entry.change},
                            {"object", SafeLine(entry.object, kMostTextBytes)},
                            {"from", SafeLine(entry.from, kMostTextBytes)},
                            {"to", SafeLine(entry.to, kMostTextBytes)},
                            {"result", SafeLine(entry.result, kMostTextBytes)},
                            {"journal_lines", journal.lines},
                            {"journal_head", journal.head}};
  return file_.Append(json.dump());
}

absl::Status AuditTrail::Seal(std::int64_t unix_ns, const ChainMark& journal) {
  const nlohmann::json summary{{"unix_ns", unix_ns},
                               {"time", TimeText(unix_ns)},
                               {"journal_lines", journal.lines},
                               {"journal_head", journal.head}};
  return file_.Seal(summary.dump());
}

}  // namespace rdmaready::apply
