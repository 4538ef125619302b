// SPDX-License-Identifier: Apache-2.0
#include "cli/render/fleet_json.h"

#include <array>

#include "api/model/describe.h"
#include "cli/render/documents.h"
#include "cli/render/remedy_view.h"
#include "rdmaready/v1/enrolment.pb.h"

namespace rdmaready {
namespace {

template <class Row>
struct FleetRows {
  const std::vector<Row>* rows = nullptr;
};

struct DiffShown : FleetRows<FleetDifference> {
  std::int64_t at_unix_ns = 0;
  std::int64_t kept_since_unix_ns = 0;
};

struct UsualShown : FleetRows<UsualValue> {
  bool complete = false;
};

struct PastShown : FleetRows<FleetPastTest> {
  std::uint64_t of = 0;
};

struct AuditShown : FleetRows<FleetAuditEntry> {
  std::string broken{};
};

struct AcknowledgedShown {
  std::uint64_t marked = 0;
  std::uint64_t forgotten = 0;
};

struct MaintenanceShown {
  std::uint64_t hosts = 0;
  std::int64_t until_unix_ns = 0;
};

struct WithdrawnShown {
  std::uint64_t withdrawn = 0;
};

constexpr auto kRowsShown = [](const auto& shown) -> const auto& { return *shown.rows; };

using describe::kCalled;

struct HubView : RemedyView {
  using RemedyView::Fields;
  static void Fields(const FleetRows<FleetHost>&, auto& list) { list.Derived("hosts", kRowsShown); }
  static void Fields(const FleetRows<FleetFinding>&, auto& list) { list.Derived("findings", kRowsShown); }
  static void Fields(const FleetRows<FleetChange>&, auto& list) { list.Derived("changes", kRowsShown); }
  static void Fields(const FleetFinding& one, auto& list) {
    list("host_id", one.host_id, "host", one.host, "check", one.check, "subject", one.subject, "profile",
         one.profile, "outcome", one.outcome, "blocking", one.blocking, "observed", one.observed, "expected",
         one.expected, "fix", one.fix, "since_unix_ns", one.since_unix_ns, "over_unix_ns", one.over_unix_ns,
         "switch_port", one.switch_port, "acknowledged_by", one.acknowledged_by, "acknowledged_unix_ns",
         one.acknowledged_unix_ns, "acknowledged_why", one.acknowledged_why);
    list("remedy", one.remedy).WhenThere();
  }
  static void Fields(const DiffShown& diff, auto& list) {
    list.Derived("differences", kRowsShown);
    list("at_unix_ns", diff.at_unix_ns, "kept_since_unix_ns", diff.kept_since_unix_ns);
  }
  static void Fields(const UsualShown& some, auto& list) {
    list.Derived("usual", kRowsShown);
    list("complete", some.complete);
  }

  static void Fields(const CaseBaseline& one, auto& list) {
    list("port", one.port, "case_name", one.case_name, "role", one.role, "peer", one.peer, "last_bytes_per_s",
         one.last_bytes_per_s, "last_unix_ns", one.last_unix_ns, "days", one.days, "p10_bytes_per_s",
         one.p10_bytes_per_s, "p50_bytes_per_s", one.p50_bytes_per_s, "latency_p99_ns", one.latency_p99_ns,
         "days_kept", one.days_kept, "first_unix_ns", one.first_unix_ns, "changed_unix_ns", one.changed_unix_ns,
         "before_bytes_per_s", one.before_bytes_per_s, "before_days", one.before_days)
        .Natural();
  }
  static void Fields(const PastShown& past, auto& list) {
    list.Derived("tests", kRowsShown);
    list("of", past.of);
  }
  static void Fields(const AuditShown& audit, auto& list) {
    list.Derived("entries", kRowsShown);
    list("broken", audit.broken);
  }

  static void Fields(const AcknowledgedShown& one, auto& list) {
    list("marked", one.marked, "forgotten", one.forgotten);
  }
  static void Fields(const MaintenanceShown& one, auto& list) {
    list("hosts", one.hosts, "until_unix_ns", one.until_unix_ns);
  }

  static void Fields(const v1::TokenRow&, auto& list) {
    list.Derived("id", kCalled<&v1::TokenRow::id>);
    list.Derived("name", kCalled<&v1::TokenRow::name>);
    list.Derived("note", kCalled<&v1::TokenRow::note>);
    list.Derived("made_by", kCalled<&v1::TokenRow::made_by>);
    list.Derived("made_unix_ns", kCalled<&v1::TokenRow::made_unix_ns>);
    list.Derived("ends_unix_ns", kCalled<&v1::TokenRow::ends_unix_ns>);
    list.Derived("withdrawn_by", kCalled<&v1::TokenRow::withdrawn_by>);
    list.Derived("withdrawn_unix_ns", kCalled<&v1::TokenRow::withdrawn_unix_ns>);
    list.Derived("used_unix_ns", kCalled<&v1::TokenRow::used_unix_ns>);
    list.Derived("host_id", kCalled<&v1::TokenRow::host_id>);
    list.Derived("hostname", kCalled<&v1::TokenRow::hostname>);
  }
  static void Fields(const FleetRows<v1::TokenRow>&, auto& list) { list.Derived("tokens", kRowsShown); }
  static void Fields(const v1::MadeToken&, auto& list) {
    list.Derived("token", kCalled<&v1::MadeToken::token>);
    list.Derived("id", kCalled<&v1::MadeToken::id>);
    list.Derived("name", kCalled<&v1::MadeToken::name>);
  }
  static void Fields(const v1::MakeTokensResponse&, auto& list) {
    list.Derived("tokens", [](const v1::MakeTokensResponse& made) {
      return std::vector<v1::MadeToken>(made.tokens().begin(), made.tokens().end());
    });
    list.Derived("ends_unix_ns", kCalled<&v1::MakeTokensResponse::ends_unix_ns>);
  }
  static void Fields(const WithdrawnShown& one, auto& list) { list("withdrawn", one.withdrawn); }
  static void Fields(const v1::RevokeHostResponse&, auto& list) {
    list.Derived("host_id", kCalled<&v1::RevokeHostResponse::host_id>);
    list.Derived("name", kCalled<&v1::RevokeHostResponse::name>);
    list.Derived("certificates", kCalled<&v1::RevokeHostResponse::certificates>);
  }
};

template <class T>
constexpr convert::DocumentOf<T> FleetDocument(std::string_view name) {
  return {{name, &describe::Described<T, HubView>::kType}};
}

constexpr auto kFleetStatus = FleetDocument<FleetStatus>("rdmaready.v1.FleetStatus");
constexpr auto kFleetHosts = FleetDocument<FleetRows<FleetHost>>("rdmaready.v1.FleetHosts");
constexpr auto kFleetFindings = FleetDocument<FleetRows<FleetFinding>>("rdmaready.v1.FleetFindings");
constexpr auto kFleetHistory = FleetDocument<FleetRows<FleetChange>>("rdmaready.v1.FleetHistory");
constexpr auto kFleetChange = FleetDocument<FleetChange>("rdmaready.v1.FleetChange");
constexpr auto kFleetDiff = FleetDocument<DiffShown>("rdmaready.v1.FleetDiff");
constexpr auto kFleetUsual = FleetDocument<UsualShown>("rdmaready.v1.FleetBaseline");
constexpr auto kFleetPast = FleetDocument<PastShown>("rdmaready.v1.FleetPast");
constexpr auto kFleetAudit = FleetDocument<AuditShown>("rdmaready.v1.FleetAudit");
constexpr auto kFleetAcknowledged = FleetDocument<AcknowledgedShown>("rdmaready.v1.FleetAcknowledged");
constexpr auto kFleetMaintenance = FleetDocument<MaintenanceShown>("rdmaready.v1.FleetMaintenance");
constexpr auto kFleetTokens = FleetDocument<FleetRows<v1::TokenRow>>("rdmaready.v1.FleetTokens");
constexpr auto kFleetTokensMade = FleetDocument<v1::MakeTokensResponse>("rdmaready.v1.FleetTokensMade");
constexpr auto kFleetWithdrawn = FleetDocument<WithdrawnShown>("rdmaready.v1.FleetTokensWithdrawn");
constexpr auto kFleetRevoked = FleetDocument<v1::RevokeHostResponse>("rdmaready.v1.FleetRevoked");

}  // namespace

std::string FleetStatusJson(const FleetStatus& status) { return kFleetStatus.Text(status); }
std::string FleetHostsJson(const std::vector<FleetHost>& hosts) { return kFleetHosts.Text({&hosts}); }
std::string FleetFindingsJson(const std::vector<FleetFinding>& findings) {
  return kFleetFindings.Text({&findings});
}
std::string FleetHistoryJson(const std::vector<FleetChange>& changes) { return kFleetHistory.Text({&changes}); }
std::string FleetChangeJson(const FleetChange& change) { return kFleetChange.Line(change); }
std::string FleetDiffJson(const std::vector<FleetDifference>& differences, std::int64_t at_unix_ns,
                          std::int64_t kept_since_unix_ns) {
  return kFleetDiff.Text({{&differences}, at_unix_ns, kept_since_unix_ns});
}
std::string FleetBaselineJson(const std::vector<UsualValue>& usual, bool complete) {
  return kFleetUsual.Text({{&usual}, complete});
}
std::string FleetPastJson(const std::vector<FleetPastTest>& tests, std::uint64_t of) {
  return kFleetPast.Text({{&tests}, of});
}
std::string FleetAuditJson(const std::vector<FleetAuditEntry>& entries, const std::string& broken) {
  return kFleetAudit.Text({{&entries}, broken});
}
std::string FleetAcknowledgedJson(std::uint64_t marked, std::uint64_t forgotten) {
  return kFleetAcknowledged.Text({marked, forgotten});
}
std::string FleetMaintenanceJson(std::uint64_t hosts, std::int64_t until_unix_ns) {
  return kFleetMaintenance.Text({hosts, until_unix_ns});
}
std::string FleetTokensJson(const std::vector<v1::TokenRow>& tokens) { return kFleetTokens.Text({&tokens}); }
std::string FleetTokensMadeJson(const v1::MakeTokensResponse& made) { return kFleetTokensMade.Text(made); }
std::string FleetTokensWithdrawnJson(std::uint64_t withdrawn) { return kFleetWithdrawn.Text({withdrawn}); }
std::string FleetRevokedJson(const v1::RevokeHostResponse& revoked) { return kFleetRevoked.Text(revoked); }

std::span<const convert::Document> FleetDocuments() {
  static constexpr std::array<convert::Document, 15> kDocuments{
      kFleetStatus,       kFleetHosts,       kFleetFindings,   kFleetHistory,   kFleetChange,
      kFleetDiff,         kFleetUsual,       kFleetPast,       kFleetAudit,     kFleetTokens,
      kFleetAcknowledged, kFleetMaintenance, kFleetTokensMade, kFleetWithdrawn, kFleetRevoked};
  return kDocuments;
}

}  // namespace rdmaready
