// SPDX-License-Identifier: Apache-2.0
// drift.foreign-writer: did somebody write DCB settings while the host was watched? rdmaready never does.
#include "checks/dcb/drift.h"

#include <algorithm>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDriftSource = "dcbnl notifications";
constexpr std::string_view kNobodyWrites = "nobody writes DCB settings";
constexpr std::size_t kMostShown = 2;

std::string DriftNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsDcb.made_by(view.profile)) return NotAsked(view.profile, "data centre bridging");
  const FactRef<DcbWrites> writes = NetdevFact(view.netdev, &Netdev::dcb_writes);
  if (writes || !view.netdev) return {};
  if (writes.missing().kind == Missing::Kind::kNotCollected) return "not watched (--watch SECONDS)";
  return writes.missing().kind == Missing::Kind::kUnsupported ? writes.missing().detail : "";
}

std::string JoinedWith(const std::vector<std::string>& items, std::string_view between) {
  std::string text;
  for (const std::string& item : items) text += Cat(text.empty() ? "" : between, item);
  return text;
}

std::string WriterText(const DcbWrite& write) {
  switch (write.writer) {
    case DcbWriter::kDriver:
      return "the NIC's driver, for its firmware";
    case DcbWriter::kProcess: {
      const std::string names = JoinedWith(write.suspects, " or ");
      return names.empty() ? "a process that could not be named" : "a process, probably " + names;
    }
    case DcbWriter::kUnknown:
      return "somebody unknown";
  }
  return {};
}

std::string WriteText(const DcbWrite& write) {
  const std::string what = write.changed.empty() ? "written again, unchanged" : JoinedWith(write.changed, ", ");
  const std::string times = write.times > 1 ? Cat(" (", write.times, " times)") : "";
  return Cat(what, times, " by ", WriterText(write));
}

bool OfLldpad(const DcbWrite& write) {
  return std::ranges::any_of(write.suspects, [](const std::string& one) { return one.starts_with("lldpad "); });
}

// Empty: the check's own.
Fix WriterFix(const EthernetView& view, const DcbWrites& writes) {
  if (std::ranges::any_of(writes.writes, OfLldpad)) {
    return Fix("systemctl disable --now lldpad.service lldpad.socket")
        .OwnedBy("lldpad")
        .Or("leave data centre bridging to lldpad alone, and set it with lldptool");
  }
  const bool by_driver = std::ranges::any_of(
      writes.writes, [](const DcbWrite& write) { return write.writer == DcbWriter::kDriver; });
  if (!by_driver) return {};
  return Cat("dcb dcbx set dev ", NetdevWord(view.netdev), " host ieee  # so that firmware follows no switch");
}

Verdict JudgeDriftForeignWriter(const EthernetView& view) {
  if (std::string reason = DriftNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<DcbWrites> writes = NetdevFact(view.netdev, &Netdev::dcb_writes);
  if (!writes) return NoAnswer(writes.missing(), kNobodyWrites, kDriftSource);
  const std::string source = Cat(kDriftSource, " in ", writes->listened_ms / 1000, " s");
  if (!writes->writes.empty() || !writes->unannounced.empty())
    return Judged(false, DcbWritesText(*writes), kNobodyWrites, source, WriterFix(view, *writes));
  if (writes->lost) {
    return NoAnswer({Missing::Kind::kFailed, "the kernel announced more than could be kept"}, kNobodyWrites,
                    source);
  }
  return Judged(true, DcbWritesText(*writes), kNobodyWrites, source);
}

}  // namespace

std::string DcbWritesText(const DcbWrites& writes) {
  std::vector<std::string> items;
  for (const DcbWrite& write : writes.writes) items.push_back(WriteText(write));
  if (!writes.unannounced.empty())
    items.push_back(Cat(JoinedWith(writes.unannounced, ", "), " changed, and the kernel did not announce it"));
  if (items.empty()) return Cat("nobody wrote in ", writes.listened_ms / 1000, " s");
  const std::size_t more = items.size() > kMostShown ? items.size() - kMostShown : 0;
  items.resize(items.size() - more);
  return Printable(Cat(JoinedWith(items, "; "), more > 0 ? Cat("; and ", more, " more") : ""));
}

std::vector<Check> DriftChecks() {
  return {
      {.id = "drift.foreign-writer",
       .title = "Nobody else writes the DCB settings",
       .why = "What another agent writes now is not what was set: PFC may be gone under running storage",
       .fix =
           "ps -C lldpad,NetworkManager,fcoemon,dcb,mlnx_qos  # find who writes to {netdev}, and leave one of "
           "them",
       .depends_on = {"drv.dcb-capable"},
       .judge = JudgeDriftForeignWriter},
  };
}

}  // namespace rdmaready
