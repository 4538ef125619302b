// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/kept.h"

#include <algorithm>
#include <map>
#include <vector>

#include "checks/setting/boot_settings.h"
#include "checks/words/cluster_agent.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsDcb(const BootWrite& write) {
  return write.setting == "pfc" || write.setting == "trust" || write.setting == "dcb";
}

bool IsOf(const BootWrite& write, std::string_view file) {
  return IsDcb(write) && (write.file == file || write.started == file);
}

// The interfaces that the file sets, where it sets others alone; empty: it may set this one.
std::vector<std::string> OthersOf(const EthernetView& view, std::string_view file) {
  std::vector<std::string> others;
  for (const BootWrite& write : *view.host.boot_writes) {
    const bool unread = write.setting == "unread" && write.file == file;
    if (unread) return {};
    if (!IsOf(write, file)) continue;
    if (write.object.empty() || write.object == view.netdev->name) return {};
    if (std::ranges::find(others, write.object) == others.end()) others.push_back(write.object);
  }
  return others;
}

// Whether an RDMA port of the host has the interface.
bool IsInterfaceHere(const Facts& host, std::string_view name) {
  if (!host.ports) return true;
  return std::ranges::any_of(*host.ports, [name](const Port& port) {
    const auto at = [name](const NetdevRef netdev) { return !netdev || netdev->name == name; };
    const bool upper = port.uppers && std::ranges::any_of(*port.uppers, [name](const UpperNetdev& one) {
                         return one.name == name;
                       });
    return upper || (port.netdev && port.netdev->name == name) ||
           std::ranges::any_of(EthernetPortsOf(port), at);
  });
}

// The last priorities of each file that sets PFC of this interface by its name.
std::map<std::string, std::string> PfcAtBoot(const EthernetView& view) {
  std::map<std::string, std::string> last;
  for (const BootWrite& write : *view.host.boot_writes) {
    const bool own = write.setting == "pfc" && write.object == view.netdev->name && !write.value.empty();
    if (own) last[write.file] = write.value;
  }
  return last;
}

std::string PrioritiesText(std::uint8_t bitmap) {
  std::string text;
  for (const std::uint8_t priority : PrioritiesOf(bitmap)) text += Cat(text.empty() ? "" : ",", priority);
  return text.empty() ? "none" : text;
}

// Reads "3,5" or "none".
std::uint8_t BitmapOfText(std::string_view text) {
  std::vector<std::uint8_t> priorities;
  for (const char one : text) {
    if (one >= '0' && one <= '7') priorities.push_back(static_cast<std::uint8_t>(one - '0'));
  }
  return BitmapOf(priorities);
}

// Files that set PFC of this interface on other priorities than now, and none that sets it as now.
KeptDcb ComparedPfc(const EthernetView& view, KeptDcb kept) {
  const std::map<std::string, std::string> at_boot = PfcAtBoot(view);
  const Fact<Pfc>& now = view.netdev->dcb.pfc;
  if (at_boot.empty() || NotOffered(now)) return kept;
  if (!now) return {.gap = now.missing()};
  const std::string wanted = PrioritiesText(now->enabled);
  const bool same = std::ranges::any_of(at_boot, [&wanted](const auto& one) { return one.second == wanted; });
  if (same) {
    kept.pfc = true;
    return kept;
  }
  const auto& [file, value] = *at_boot.begin();
  return {.kept = Kept::kOtherwise, .file = file, .text = PfcText(BitmapOfText(value))};
}

KeptDcb WithoutFile(const EthernetView& view) {
  if (!view.host.cluster_agents) return {.gap = view.host.cluster_agents.missing()};
  const ClusterAgent* const agent = QosAgentOf(view.host);
  if (agent == nullptr) return {.kept = Kept::kNothing};
  return {.kept = Kept::kByCluster, .text = ClusterAgentText(*agent)};
}

KeptDcb SetElsewhereAlone(const EthernetView& view, const std::string& file,
                          const std::vector<std::string>& others) {
  KeptDcb kept{.kept = Kept::kElsewhere, .file = file};
  for (const std::string& name : others) {
    kept.text += Cat(kept.text.empty() ? "" : ", ", Printable(name));
    kept.gone = kept.gone || !IsInterfaceHere(view.host, name);
  }
  return kept;
}

}  // namespace

KeptDcb KeptDcbOf(const EthernetView& view) {
  const Fact<std::vector<std::string>>& keepers = view.host.dcb_keepers;
  if (!keepers) return {.gap = keepers.missing()};
  if (keepers->empty()) return WithoutFile(view);
  if (!view.host.boot_writes) return {.gap = view.host.boot_writes.missing()};
  KeptDcb kept{.kept = Kept::kHere};
  KeptDcb elsewhere;
  for (const std::string& file : *keepers) {
    const std::vector<std::string> others = OthersOf(view, file);
    if (!others.empty()) {
      if (elsewhere.file.empty()) elsewhere = SetElsewhereAlone(view, file, others);
      continue;
    }
    kept.several = !kept.file.empty();
    if (kept.file.empty()) kept.file = file;
  }
  const KeptDcb found = kept.file.empty() ? elsewhere : ComparedPfc(view, kept);
  if (found.pfc) return found;
  // A script that could not be read may set this interface, or set it otherwise.
  if (const auto unread = UnreadScript(view.host)) return {.gap = *unread};
  return found;
}

std::string StarterOf(const Facts& host, const std::string& file) {
  if (!host.boot_writes) return file;
  const auto& writes = *host.boot_writes;
  const auto started = std::ranges::find_if(writes, [&file](const BootWrite& write) {
    return write.file == file && write.started != file && !write.started.empty();
  });
  return started == writes.end() ? file : started->started;
}

std::string FileText(const Facts& host, const std::string& file) {
  const std::string started = StarterOf(host, file);
  return started == file ? Printable(file) : Cat(Printable(file), " (by ", Printable(started), ")");
}

}  // namespace rdmaready
