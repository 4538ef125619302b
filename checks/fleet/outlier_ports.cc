// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/outlier_ports.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checks/live/transfer.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// A port of a host of the report.
struct PortKey {
  std::size_t host = 0;
  std::string port{};  // "mlx5_0/1"

  auto operator<=>(const PortKey&) const = default;
};

// With one partner, both directions together: a failure of either is one.
struct Together {
  bool fails = false;
  bool passes = false;  // every test that was made, and one was
  bool open = false;    // a test has no result
};

class Mesh {
 public:
  Mesh(std::span<const TestedWay> ways, Report& report) : ways_(ways), report_(report) {
    for (const TestedWay& way : ways) {
      const PortKey from{way.from, way.FromPort()};
      const PortKey to{way.to, way.ToPort()};
      Note(way, together_[from][to]);
      Note(way, together_[to][from]);
    }
  }

  std::vector<PortKey> Outliers() const {
    std::vector<PortKey> outliers;
    for (const auto& [port, partners] : together_) {
      const Tally tally = TallyOf(port);
      if (tally.passed == 0 && tally.failed >= kLeastPartners && tally.fine >= kLeastFinePartners)
        outliers.push_back(port);
    }
    return outliers;
  }

  void Name(const PortKey& port) {
    const Tally tally = TallyOf(port);
    HostReport& host = report_.hosts[port.host];
    Finding finding = OutlierFinding(port.port, host.host);
    finding.observed = Cat("its tests fail with each of ", tally.failed, " partners, of which ", tally.fine,
                           " pass with other ports");
    if (tally.open > 0) finding.observed += Cat("; with ", tally.open, " more there is no result");
    for (const TestedWay& way : ways_) Hide(way, port, host.host, finding);
    host.findings.push_back(std::move(finding));
  }

 private:
  // The partners of one port, by the results with them.
  struct Tally {
    std::size_t failed = 0;
    std::size_t fine = 0;  // of the failed ones: they pass with another port
    std::size_t passed = 0;
    std::size_t open = 0;  // neither: explained otherwise, or not tested to the end
  };
  Tally TallyOf(const PortKey& port) const {
    Tally tally;
    for (const auto& [partner, with] : together_.at(port)) {
      if (with.fails) {
        ++tally.failed;
        tally.fine += IsFineWithAnother(partner, port) ? 1U : 0U;
      } else if (with.passes && !with.open) {
        ++tally.passed;
      } else {
        ++tally.open;
      }
    }
    return tally;
  }

  static Finding OutlierFinding(const std::string& port, const std::string& host) {
    const TransferCheck& check = *FindTransferCheck(kOutlierId);
    Finding finding{.id = std::string(kOutlierId),
                    .title = check.title,
                    .scope = Scope::kPort,
                    .rung = Rung::kPeer,
                    .subject = Printable(port),
                    .outcome = Outcome::kFail,
                    .blocking = true,
                    .expected = "passes with each partner",
                    .source = "live transfers of all pairs",
                    .why = std::string(check.why)};
    SetFix(finding, OutlierFix(host));
    return finding;
  }

  void Note(const TestedWay& way, Together& with) const {
    const std::vector<Finding>& findings = report_.pairs[way.pair].findings;
    for (std::size_t i = 0; i < way.failures.size(); ++i) {
      const Finding& finding = findings[way.first + i];
      with.fails = with.fails || (finding.outcome == Outcome::kFail && finding.hidden_by.empty());
      with.passes = with.passes || finding.outcome == Outcome::kPass || finding.outcome == Outcome::kWarn;
      with.open = with.open || finding.outcome == Outcome::kUnknown || !finding.hidden_by.empty();
    }
  }

  bool IsFineWithAnother(const PortKey& port, const PortKey& than) const {
    const auto found = together_.find(port);
    return found != together_.end() && std::ranges::any_of(found->second, [&](const auto& partner) {
             const Together& with = partner.second;
             return partner.first != than && with.passes && !with.fails && !with.open;
           });
  }

  void Hide(const TestedWay& way, const PortKey& port, const std::string& host, const Finding& behind) {
    const bool of_port = PortKey{way.from, way.FromPort()} == port || PortKey{way.to, way.ToPort()} == port;
    if (!of_port) return;
    std::vector<Finding>& findings = report_.pairs[way.pair].findings;
    for (std::size_t i = 0; i < way.failures.size(); ++i) {
      Finding& finding = findings[way.first + i];
      const bool waits =
          std::ranges::any_of(std::span(findings).subspan(way.first, i), [&](const Finding& before) {
            return before.id == finding.hidden_by && before.hidden_by == behind.id;
          });
      if (waits || (finding.outcome == Outcome::kFail && finding.hidden_by.empty()))
        finding = Explained(std::move(finding), behind, host);
    }
  }

  std::span<const TestedWay> ways_;
  Report& report_;
  std::map<PortKey, std::map<PortKey, Together>> together_{};
};

}  // namespace

void NameOutliers(std::span<const TestedWay> ways, Report& report) {
  Mesh mesh(ways, report);
  for (const PortKey& port : mesh.Outliers()) mesh.Name(port);
}

}  // namespace rdmaready
