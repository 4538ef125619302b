// SPDX-License-Identifier: Apache-2.0
// drv.dcb-capable, dcbx.mode: can the interface be configured for DCB, and who does it.
#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

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
  std::string text = dcbx.lld_managed ? "firmware" : dcbx.host ? "host" : "nobody named (firmware)";
  if (dcbx.ieee) text += ", IEEE";
  if (dcbx.cee) text += ", CEE";
  return text;
}

// Static means: the host decides, and does not follow what a neighbour proposes.
Verdict JudgeMode(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl DCBX and IEEE ETS";
  constexpr std::string_view kExpected = "host, IEEE, willing off";
  constexpr std::string_view kInstead =
      "ethtool -i {netdev}  # this driver does not say who runs DCBX: set dcbx: any in the profile, or use "
      "another driver";
  const Fact<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!dcbx) return NoAnswer(dcbx.missing(), std::string(kExpected), kSource, kInstead);
  const std::string netdev = NetdevWord(view.netdev);
  const std::string take = Cat("dcb dcbx set dev ", netdev, " host ieee");
  const std::string unwilling = Cat("dcb ets set dev ", netdev, " willing off");
  const bool foreign = dcbx->lld_managed || !dcbx->host;
  const bool willing = ets && ets->willing;
  if (foreign || willing) {
    const std::string observed = Cat(DcbxText(*dcbx), ets ? (willing ? ", willing on" : ", willing off") : "");
    std::string fix = foreign && willing ? take + "; " + unwilling : foreign ? take : unwilling;
    if (foreign) fix += "  # where firmware keeps it: switch its LLDP agent off first";
    return Judged(false, observed, std::string(kExpected), kSource, fix);
  }
  if (!ets) return NoAnswer(ets.missing(), std::string(kExpected), kSource);
  const std::string observed = DcbxText(*dcbx) + ", willing off";
  if (dcbx->cee) return Warned(observed, std::string(kExpected), kSource, take);
  return Judged(true, observed, std::string(kExpected), kSource);
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
  return {.id = "dcbx.mode",
          .title = "The host owns its DCB settings and follows no neighbour",
          .why = "Firmware or a willing host lets a switch change PFC and ETS under running storage",
          .fix = "dcb dcbx set dev {netdev} host ieee; dcb ets set dev {netdev} willing off",
          .blocks_for = &kDemandsStaticDcbx,
          .depends_on = {"drv.dcb-capable"},
          .rule = Rule<EthernetView>{ModeNotApplicable, JudgeMode}};
}

}  // namespace rdmaready
