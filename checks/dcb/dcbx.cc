// SPDX-License-Identifier: Apache-2.0
// drv.dcb-capable, dcbx.*: can the interface be configured for DCB, and who does it.
#include <algorithm>

#include "checks/dcb/neighbours.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string CapableNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return kDemandsDcb.made_by(view.profile) ? "" : NotAsked(view.profile, "data centre bridging");
}

// What the profile needs of the driver, by name, as far as it is one of our answers.
struct Part {
  std::string_view name;
  bool asked = false;
  bool known = false;
  Missing why{};
};

template <class T>
Part PartOf(std::string_view name, bool asked, const Fact<T>& fact) {
  return {
      .name = name, .asked = asked, .known = static_cast<bool>(fact), .why = fact ? Missing{} : fact.missing()};
}

Verdict JudgeCapable(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl";
  const Profile& profile = view.profile;
  const bool trust = profile.trust != Profile::Trust::kAny;
  const Part parts[] = {
      PartOf("PFC", profile.pfc.has_value(), DcbFact(view.netdev, &Dcb::pfc)),
      PartOf("ETS", profile.ets_rdma_percent.has_value() || profile.dcbx == Profile::Dcbx::kStatic,
             DcbFact(view.netdev, &Dcb::ets)),
      PartOf("APP", trust, DcbFact(view.netdev, &Dcb::app)),
  };
  std::string asked, lacking, reason;
  const Missing* unknown = nullptr;
  for (const Part& part : parts) {
    if (!part.asked) continue;
    asked += Cat(asked.empty() ? "" : ", ", part.name);
    if (part.known) continue;
    if (view.netdev && part.why.kind == Missing::Kind::kUnsupported) {
      lacking += Cat(lacking.empty() ? "" : ", ", part.name);
      if (reason.empty()) reason = part.why.detail;
    } else {
      unknown = &part.why;
    }
  }
  if (!lacking.empty()) {
    const std::string driver = view.netdev->driver.empty() ? "" : " (driver " + view.netdev->driver + ")";
    return Judged(false, Cat("no ", lacking, driver, reason.empty() ? "" : ": ", reason), asked, kSource);
  }
  if (unknown != nullptr) return NoAnswer(*unknown, asked, kSource);
  return Judged(true, Cat("the driver has ", asked), asked, kSource);
}

std::string ModeNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.dcbx == Profile::Dcbx::kStatic ? "" : NotAsked(view.profile, "static DCBX");
}

std::string DcbxText(const Dcbx& dcbx) {
  std::string text = dcbx.lld_managed ? "firmware" : dcbx.host ? "host" : "not the host: firmware decides";
  if (dcbx.ieee) text += ", IEEE";
  if (dcbx.cee) text += ", CEE";
  return text;
}

// ice: its firmware's LLDP agent, which keeps the host from setting DCB while it runs.
constexpr std::string_view kFirmwareAgent = "fw-lldp-agent";

bool FirmwareAgentOn(const Fact<Netdev>& netdev) {
  if (!netdev || !netdev->link.private_flags) return false;
  return std::ranges::any_of(*netdev->link.private_flags,
                             [](const PrivateFlag& flag) { return flag.name == kFirmwareAgent && flag.on; });
}

// Static means: the host decides.
Verdict JudgeMode(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl DCBX";
  constexpr std::string_view kExpected = "host, IEEE";
  constexpr std::string_view kInstead =
      "ethtool -i {netdev}  # this driver does not say who runs DCBX: set dcbx: any in the profile, or use "
      "another driver";
  const Fact<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  if (!dcbx) return NoAnswer(dcbx.missing(), std::string(kExpected), kSource, kInstead);
  const std::string take = Cat("dcb dcbx set dev ", NetdevWord(view.netdev), " host ieee");
  // Its qed_dcbnl_getdcbx never names the host: the firmware runs DCBX in every mode that there is.
  if (!dcbx->host && view.netdev->driver == "qede")
    return Judged(false, DcbxText(*dcbx), std::string(kExpected), kSource,
                  Cat("ethtool -i ", NetdevWord(view.netdev),
                      "  # qede leaves DCBX to its firmware: set dcbx: any in the profile, and let the switch "
                      "announce it"));
  if (dcbx->lld_managed || !dcbx->host) {
    const std::string agent_off =
        FirmwareAgentOn(view.netdev)
            ? Cat("ethtool --set-priv-flags ", NetdevWord(view.netdev), " ", kFirmwareAgent, " off; ")
            : "";
    return Judged(false, DcbxText(*dcbx), std::string(kExpected), kSource,
                  agent_off.empty() ? take + "  # where firmware keeps it: switch its LLDP agent off first"
                                    : agent_off + take);
  }
  if (dcbx->cee) return Warned(DcbxText(*dcbx), std::string(kExpected), kSource, take);
  return Judged(true, DcbxText(*dcbx), std::string(kExpected), kSource);
}

bool IsWilling(const LldpNeighbour& agent) {
  const auto cee = [&agent](const auto& feature) { return feature && feature->feature.willing; };
  return (agent.ets && agent.ets->willing) || (agent.pfc && agent.pfc->willing) ||
         (agent.cee && (cee(agent.cee->groups) || cee(agent.cee->pfc) || cee(agent.cee->app)));
}

// And it does not follow what a neighbour proposes: neither the driver does, nor an agent that writes to it.
Verdict JudgeWilling(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl IEEE ETS";
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), "willing off", kSource);
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!ets->willing && agents && std::ranges::any_of(agents->own, IsWilling)) {
    const std::string of_lldpad = Cat("lldptool set-tlv -i ", NetdevWord(view.netdev), " -V ");
    return Judged(false, "willing off, but an LLDP agent of this host announces it on", "willing off",
                  ListenedText(*agents),
                  Cat(of_lldpad, "PFC willing=no; ", of_lldpad, "ETS-CFG willing=no  # where it is lldpad"));
  }
  return Judged(!ets->willing, ets->willing ? "willing on" : "willing off", "willing off", kSource);
}

}  // namespace

Check DrvDcbCapable() {
  return {.id = "drv.dcb-capable",
          .title = "The interface's driver can be configured for data centre bridging",
          .why = "Without it the host cannot make the RDMA class lossless, nor show that it is",
          .fix =
              "ethtool -i {netdev}  # this driver cannot: use the physical function instead of a virtual one, "
              "a newer driver, or "
              "a NIC with DCB",
          .blocks_for = &kDemandsDcb,
          .depends_on = {"inv.netdev-mapping"},
          .rule = Rule<EthernetView>{CapableNotApplicable, JudgeCapable}};
}

Check DcbxMode() {
  return {
      .id = "dcbx.mode",
      .title = "The host owns its DCB settings",
      .why =
          "Firmware that runs DCBX overwrites PFC and ETS with what a switch proposes, under running storage",
      .fix = "dcb dcbx set dev {netdev} host ieee",
      .blocks_for = &kDemandsStaticDcbx,
      .depends_on = {"drv.dcb-capable"},
      .rule = Rule<EthernetView>{ModeNotApplicable, JudgeMode}};
}

Check DcbxWilling() {
  return {.id = "dcbx.willing",
          .title = "The host follows no neighbour's DCB settings",
          .why = "A willing host lets a switch change PFC and ETS under running storage",
          .fix = "dcb ets set dev {netdev} willing off",
          .blocks_for = &kDemandsStaticDcbx,
          .depends_on = {"drv.dcb-capable", "dcbx.mode"},
          .rule = Rule<EthernetView>{ModeNotApplicable, JudgeWilling}};
}

}  // namespace rdmaready
