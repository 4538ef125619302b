// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/render/format/judged.h"

namespace rdmaready {
namespace {

// RFC 4180: lines end in CR LF, a field with a comma or a quote is quoted. There are no line breaks left.
std::string CsvRow(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& raw : fields) {
    if (&raw != &fields.front()) row += ',';
    const std::string field = Printable(raw);
    if (field.find_first_of(",\"") == std::string::npos) {
      row += field;
      continue;
    }
    row += '"';
    for (const char c : field) row += c == '"' ? std::string("\"\"") : std::string(1, c);
    row += '"';
  }
  return row + "\r\n";
}

std::string YesNo(bool yes) { return yes ? "yes" : "no"; }

}  // namespace

std::string CheckCsv(const CheckSummary& run, const Look&) {
  std::string text = CsvRow({"host", "peer", "check", "subject", "outcome", "blocking", "rung", "observed",
                             "expected", "source", "fix", "hidden_by", "profile", "error", "waived_until",
                             "waived_by", "waived_reason", "remedy"});
  for (const HostReport& host : run.report.hosts) {
    if (host.error.empty()) continue;
    text += CsvRow({host.host, "", "", "", "", "", "", "", "", "", "", "", "", host.error, "", "", "", ""});
  }
  for (const Judged& judged : JudgedIn(run.report)) {
    const Finding& finding = *judged.finding;
    const Waived waived = finding.waived.value_or(Waived());
    text += CsvRow({judged.host, judged.peer, finding.id, finding.subject, std::string(Name(finding.outcome)),
                    YesNo(finding.blocking), std::string(Name(finding.rung)), finding.observed,
                    finding.expected, finding.source, finding.fix, finding.hidden_by, finding.profile, "",
                    waived.until, waived.who, waived.reason, finding.remedy ? OneLine(*finding.remedy) : ""});
  }
  return text;
}

std::string TransfersCsv(const TransferRun& run, const Look&) {
  std::string text = CsvRow({"from",
                             "to",
                             "subject",
                             "case",
                             "operation",
                             "message_bytes",
                             "transport",
                             "outcome",
                             "bytes",
                             "bytes_verified",
                             "bytes_wrong",
                             "throughput_bytes_per_s",
                             "worst_interval_bytes_per_s",
                             "operations_per_s",
                             "latency_p50_ns",
                             "latency_p99_ns",
                             "latency_p999_ns",
                             "latency_max_ns",
                             "cpu_ns_initiator",
                             "cpu_ns_responder",
                             "observed"});
  for (const TransferRow& row : run.rows) {
    const TransferResult& result = row.result;
    const Finding judged = row.findings.empty() ? Finding{} : row.findings.front();
    const auto number = [](auto value) { return fmt::format("{}", value); };
    text += CsvRow({row.from,
                    row.to,
                    row.subject,
                    result.case_name,
                    std::string(Name(result.operation)),
                    number(result.message_bytes),
                    result.transport,
                    std::string(Name(judged.outcome)),
                    number(result.bytes),
                    number(result.bytes_verified),
                    number(result.bytes_wrong),
                    number(result.throughput_bytes_per_s),
                    number(result.worst_interval_bytes_per_s),
                    number(result.operations_per_s),
                    number(result.latency.p50_ns),
                    number(result.latency.p99_ns),
                    number(result.latency.p999_ns),
                    number(result.latency.max_ns),
                    number(result.cpu_initiator_ns),
                    number(result.cpu_responder_ns),
                    judged.observed});
  }
  return text;
}

}  // namespace rdmaready
