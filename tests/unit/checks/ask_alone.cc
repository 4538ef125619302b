// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/ask_alone.h"

#include <variant>
#include <vector>

#include "checks/begin.h"
#include "checks/fleet/agreement.h"
#include "checks/placeholders.h"
#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

// Asks each kind of check about the case.
struct Asked {
  const CheckCase& row;
  const Port& port;
  const Facts& other;

  Verdict operator()(Judge<HostView> judge) const {
    return judge({row.host, row.extra.profile, row.extra.judged_unix_ns});
  }
  Verdict operator()(Judge<PortView> judge) const { return judge({row.host, port, row.extra.profile}); }
  Verdict operator()(Judge<EthernetView> judge) const {
    return judge({row.host, port, EthernetPortsOf(port).front(), row.extra.profile});
  }
  Verdict operator()(Judge<PairView> judge) const {
    return judge({"a", row.host, port, "b", other, other.ports->front(), row.extra.profile});
  }
  Verdict operator()(JudgeAmongPorts judge) const {
    return judge({row.host, row.extra.profile}).at(row.extra.port);
  }
  Verdict operator()(JudgeAmongHosts judge) const {
    return judge(Voters(), row.extra.profile).verdicts.front();
  }
  Verdict operator()(const Agreement& agreement) const {
    return Compare(agreement, Voters(), row.extra.profile).verdicts.front();
  }

  std::vector<Voter> Voters() const { return {{"a", &row.host, &port}, {"b", &other, &other.ports->front()}}; }
};

}  // namespace

Verdict AskAlone(const Check& check, const CheckCase& row) {
  const Facts other = row.extra.other == nullptr ? GoodHost() : row.extra.other();
  const Port port =
      row.host.ports && row.extra.port < row.host.ports->size() ? (*row.host.ports)[row.extra.port] : Port{};
  Verdict verdict = std::visit(Asked{row, port, other}, check.judge);
  verdict.fix = Fix(WithTexts(FixOfVerdict(check, verdict).remedy(), [&](const std::string& text) {
    return FillIn(text, row.host, &port, row.extra.profile);
  }));
  return verdict;
}

}  // namespace rdmaready
