// SPDX-License-Identifier: Apache-2.0
// dcb.at-boot: NICs forget their data centre bridging.
#include <algorithm>
#include <utility>

#include "checks/dcb/kept.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/owner.h"
#include "checks/words/cluster_agent.h"
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
  return {};
}

// Whether nothing is set now; missing where that is not known.
Fact<bool> NothingSet(const Dcb& dcb) {
  if (!SetText(dcb).empty()) return false;
  if (!dcb.pfc) return dcb.pfc.missing();
  if (!dcb.ets) return dcb.ets.missing();
  if (!dcb.app) return dcb.app.missing();
  return true;
}

// Whether the file sets what the profile asks for, so that not the file is wrong.
bool IsFileRight(const EthernetView& view, const KeptDcb& kept) {
  return view.profile.pfc && kept.text == PfcText(BitmapOf(*view.profile.pfc));
}

// A program of this host that writes PFC again, whatever a file set at boot.
SettingOwner LaterWriter(const EthernetView& view) {
  SettingOwner owner = OwnerOf(view.host, {.kind = SettingKind::kPfc, .where = view.netdev->name});
  return owner.writes_again ? owner : SettingOwner();
}

Fix OneWriterFix(const SettingOwner& owner, const std::string& file) {
  Fix fix = Fix()
                .Because(Cat(owner.why, ", after ", file, " ran"))
                .Do(Cat("let one of the two set it, ", owner.name, " or ", file));
  for (const std::string& other : owner.way.alternatives) fix = std::move(fix).Or(other);
  return std::move(fix).CheckBy("dcb pfc show dev {netdev}");
}

// Something sets it again after the file did.
Fix LaterWriterFix(const EthernetView& view, const KeptDcb& kept) {
  if (const ClusterAgent* const agent = QosAgentOf(view.host); agent != nullptr) {
    return Fix()
        .Because(Cat(ClusterAgentText(*agent), " sets it after ", Printable(kept.file), " did"))
        .Do("change or remove the DaemonSet of that pod in the cluster: it sets the NIC again at each start");
  }
  if (const SettingOwner owner = LaterWriter(view); !owner.empty())
    return OneWriterFix(owner, Printable(kept.file));
  return Fix()
      .Because(Cat("somebody or something changed it after ", Printable(kept.file), " ran"))
      .Do(Cat("find what changed {netdev}, then run ", Printable(kept.file), " again"))
      .CheckBy("dcb pfc show dev {netdev}");
}

std::string ChangeKept(const EthernetView& view, const std::string& file) {
  return ChangeText(file, StarterOf(view.host, file));
}

Verdict JudgeOtherwise(const EthernetView& view, const KeptDcb& kept) {
  const std::string file = FileText(view.host, kept.file);
  const std::string now = PfcText(view.netdev->dcb.pfc->enabled);
  const std::string observed = Cat(file, " sets ", kept.text, " at boot, and now it is ", now);
  if (IsFileRight(view, kept)) {
    const SettingOwner owner = LaterWriter(view);
    return Judged(false, Cat(observed, owner.empty() ? "" : ": ", owner.why),
                  Cat(kept.text, ", as the file sets it"), kBootSource, LaterWriterFix(view, kept));
  }
  return Judged(
      false, observed, Cat(now, " in the file"), kBootSource,
      Fix()
          .Because(
              "somebody changed it by hand, and not in the file: the next boot brings the other value back")
          .Do(Cat(ChangeKept(view, kept.file), ": it is to set ", now, " on {netdev}"))
          .CheckBy(Cat("grep -n pfc ", ShellWord(kept.file))));
}

Verdict JudgeElsewhere(const EthernetView& view, const KeptDcb& kept) {
  const std::string file = FileText(view.host, kept.file);
  const std::string_view where = kept.gone ? " at boot, an interface that no RDMA port here has" : " at boot";
  Fix fix = Fix();
  if (kept.gone) fix = std::move(fix).Because("the interface had another name when the file was written");
  return Judged(false, Cat(file, " sets ", kept.text, where, "; nothing sets ", Printable(view.netdev->name)),
                Cat(Printable(view.netdev->name), " set at boot"), kBootSource,
                std::move(fix)
                    .Do(Cat(ChangeKept(view, kept.file), ": it is to set {netdev}",
                            kept.gone ? Cat(" instead of ", kept.text) : std::string(" too")))
                    .CheckBy(Cat("grep -n -w {netdev} ", ShellWord(kept.file))));
}

Verdict JudgeDcbAtBoot(const EthernetView& view) {
  if (std::string reason = AtBootNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "a unit, a rule, a hook or lldpad that sets it";
  if (!view.netdev) return NoAnswer(view.netdev.missing(), kExpected, kBootSource);
  if (!view.port.software) return NoAnswer(view.port.software.missing(), kExpected, kBootSource);
  const Fact<Dcbx>& dcbx = view.netdev->dcb.dcbx;
  if (!dcbx && !NotOffered(dcbx)) return NoAnswer(dcbx.missing(), kExpected, kBootSource);
  const Fact<bool> nothing = NothingSet(view.netdev->dcb);
  const KeptDcb kept = KeptDcbOf(view);
  if (kept.kept == Kept::kUnknown) return NoAnswer(kept.gap, kExpected, kBootSource);
  if (kept.kept == Kept::kHere)
    return Judged(true, Cat(kept.file, kept.several ? " and others" : ""), kExpected, kBootSource);
  if (!nothing) return NoAnswer(nothing.missing(), kExpected, kBootSource);
  if (kept.kept == Kept::kElsewhere && (kept.gone || !*nothing)) return JudgeElsewhere(view, kept);
  if (*nothing) return NotApplicable("nothing of it is set");
  if (kept.kept == Kept::kOtherwise) return JudgeOtherwise(view, kept);
  if (kept.kept == Kept::kByCluster)
    return NotApplicable(
        Cat(kept.text, " sets it, and a host cannot show what a cluster does at its next boot"));
  return Judged(false,
                Cat(SetText(view.netdev->dcb), ": set by hand, nothing that is known here sets it at boot"),
                kExpected, kBootSource);
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
