// SPDX-License-Identifier: Apache-2.0
// dcb.at-boot: NICs forget their data centre bridging.
#include <algorithm>

#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBootSource = "files below /etc, dcbnl";

// What of it is not as a driver comes up with it: "PFC on 3, rows of the APP table"; empty for nothing.
std::string SetText(const Dcb& dcb) {
  std::string text;
  const auto add = [&text](bool set, std::string_view what) {
    if (set) text += Cat(text.empty() ? "" : ", ", what);
  };
  if (dcb.pfc) add(dcb.pfc->enabled != 0, PfcText(dcb.pfc->enabled));
  if (dcb.ets) {
    const bool shares =
        std::ranges::any_of(dcb.ets->tx_percent, [](std::uint8_t share) { return share % 100 != 0; });
    add(shares, "shares of the link");
  }
  if (dcb.app) add(!dcb.app->empty(), "rows of the APP table");
  add(dcb.nic_trust && *dcb.nic_trust == AppSelector::kDscp, "trust of DSCP");
  return text;
}

std::string AtBootNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsDcb.made_by(view.profile)) return NotAsked(view.profile, "data centre bridging");
  if (IsSoftware(view.port)) return "a software device: its settings are those of a test";
  if (std::string elsewhere = DcbSetElsewhere(view); !elsewhere.empty()) return elsewhere;
  if (!view.netdev) return {};
  const Dcb& dcb = view.netdev->dcb;
  if (NotOffered(dcb.pfc) && NotOffered(dcb.ets)) return "the driver has no data centre bridging";
  if (dcb.dcbx && !dcb.dcbx->host) return "firmware runs DCBX, and sets it whenever the link comes up";
  const bool known = dcb.pfc && dcb.ets && dcb.app;
  return known && SetText(dcb).empty() ? "nothing of it is set" : "";
}

Verdict JudgeDcbAtBoot(const EthernetView& view) {
  if (std::string reason = AtBootNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "a unit, a rule, a hook or lldpad that sets it";
  if (!view.netdev) return NoAnswer(view.netdev.missing(), kExpected, kBootSource);
  if (!view.port.software) return NoAnswer(view.port.software.missing(), kExpected, kBootSource);
  const Fact<Dcbx>& dcbx = view.netdev->dcb.dcbx;
  if (!dcbx && !NotOffered(dcbx)) return NoAnswer(dcbx.missing(), kExpected, kBootSource);
  const Fact<std::vector<std::string>>& keepers = view.host.dcb_keepers;
  if (!keepers) return NoAnswer(keepers.missing(), kExpected, kBootSource);
  if (!keepers->empty())
    return Judged(true, Cat(keepers->front(), keepers->size() > 1 ? " and others" : ""), kExpected,
                  kBootSource);
  const Dcb& dcb = view.netdev->dcb;
  const std::string set = SetText(dcb);
  if (set.empty()) {
    const Missing& why = !dcb.pfc ? dcb.pfc.missing() : !dcb.ets ? dcb.ets.missing() : dcb.app.missing();
    return NoAnswer(why, kExpected, kBootSource);
  }
  return Judged(false, Cat(set, ": set by hand, nothing that is known here sets it at boot"), kExpected,
                kBootSource);
}

}  // namespace

std::vector<Check> DcbAtBootChecks() {
  return {
      {.id = "dcb.at-boot",
       .title = "Data centre bridging is set again at every boot",
       .why = "NICs come up without it: a host that is ready today loses frames after its next boot",
       .fix = "systemctl edit --force --full rdma-dcb.service  # a oneshot unit whose ExecStart lines set "
              "{netdev}; then "
              "systemctl enable rdma-dcb",
       .depends_on = {"inv.netdev-mapping", "drv.dcb-capable"},
       .judge = JudgeDcbAtBoot},
  };
}

}  // namespace rdmaready
