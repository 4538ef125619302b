// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb_writes.h"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/dcb/dcb.h"
#include "collectors/dcb/dcb_cee.h"
#include "collectors/lldp/lldp_links.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostWrites = 64;  // kinds of them, on one netdev

// Those that write DCB settings for as long as they run, of what Linux distributions have. NetworkManager and
// fcoemon do it through lldpad.
constexpr std::string_view kDcbDaemons[] = {"lldpad"};

std::string PrioritiesText(std::uint8_t bitmap) {
  std::string text;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if ((static_cast<unsigned>(bitmap) >> i & 1U) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", i);
  }
  return text.empty() ? "off" : text;
}

using Rows = std::vector<AppEntry>;

// The kernel's list is in the order of writing, which means nothing.
Rows Sorted(Rows rows) {
  std::ranges::sort(rows, {},
                    [](const AppEntry& row) { return std::tuple(row.selector, row.protocol, row.priority); });
  return rows;
}

class Differences {
 public:
  template <class T>
  void Compare(const Fact<T>& before, const Fact<T>& after, std::string_view name) {
    if (before && after && *before != *after) found_.emplace_back(name);
  }

  void CompareRows(const Fact<Rows>& before, const Fact<Rows>& after, std::string_view name) {
    if (before && after && Sorted(*before) != Sorted(*after)) found_.emplace_back(name);
  }

  void ComparePfc(const Fact<Pfc>& before, const Fact<Pfc>& after) {
    if (!before || !after) return;
    if (before->enabled != after->enabled) {
      found_.push_back("PFC " + PrioritiesText(before->enabled) + " -> " + PrioritiesText(after->enabled));
    } else if (before->delay != after->delay) {
      found_.emplace_back("PFC delay");
    }
  }

  std::vector<std::string> Take() { return std::move(found_); }

 private:
  std::vector<std::string> found_{};
};

template <class T>
void Update(Fact<T>& known, const Fact<T>& now) {
  if (now) known = now;
}

// What a message does not tell stays as it was.
void Update(Dcb& settings, const Dcb& now) {
  Update(settings.ets, now.ets);
  Update(settings.pfc, now.pfc);
  Update(settings.app, now.app);
  Update(settings.app_trust, now.app_trust);
  Update(settings.dcbx, now.dcbx);
  Update(settings.buffer, now.buffer);
  Update(settings.max_rate_kbps, now.max_rate_kbps);
  Update(settings.rewrite, now.rewrite);
  Update(settings.cee, now.cee);
}

std::string NetdevOf(const DcbNotice& notice) {
  dcbmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(notice.payload, header, "DCB");
  if (!attributes.ok()) return {};
  return attributes->Text(DCB_ATTR_IFNAME).value_or("");
}

// The settings that a message tells, of either dialect.
Fact<Dcb> SettingsOf(const DcbNotice& notice, const std::string& name) {
  absl::StatusOr<Dcb> ieee = DecodeDcb(notice.payload, name);
  if (ieee.ok()) return *std::move(ieee);
  const absl::StatusOr<CeeSettings> cee = DecodeCee(notice.payload, name);
  if (!cee.ok()) return MissingFrom(cee.status());
  Dcb settings;
  settings.cee = *cee;
  return settings;
}

// Drivers announce with the number 0 (ice, i40e, bnx2x, qlcnic); what processes send has one.
DcbWriter WriterOf(const DcbNotice& notice) {
  return notice.sequence == 0 ? DcbWriter::kDriver : DcbWriter::kProcess;
}

std::string NameText(const ProcessName& process) {
  const std::string name = process.name.empty() ? "one that is gone" : process.name;
  return fmt::format("{} (process {})", name, process.pid);
}

// Processes that came just then, and daemons that are there all the time.
std::vector<std::string> SuspectsOf(const DcbNotice& notice, const DcbNotices& heard) {
  std::vector<std::string> suspects;
  for (const ProcessName& process : notice.newcomers) suspects.push_back(NameText(process));
  for (const ProcessName& process : heard.residents) {
    if (IsDcbDaemon(process)) suspects.push_back(NameText(process));
  }
  return suspects;
}

bool SameKind(const DcbWrite& a, const DcbWrite& b) {
  return a.writer == b.writer && a.suspects == b.suspects && a.changed == b.changed;
}

void Append(DcbWrite write, DcbWrites& writes) {
  if (!writes.writes.empty() && SameKind(writes.writes.back(), write)) {
    ++writes.writes.back().times;
    writes.writes.back().last_ms = write.last_ms;
  } else if (writes.writes.size() < kMostWrites) {
    writes.writes.push_back(std::move(write));
  } else {
    writes.lost = true;
  }
}

bool HasDcb(const Dcb& dcb) {
  const auto offered = [](const auto& fact) {
    return fact || fact.missing().kind != Missing::Kind::kUnsupported;
  };
  return offered(dcb.ets) || offered(dcb.pfc) || offered(dcb.app) || offered(dcb.dcbx);
}

// Null when there is none of that name.
const Netdev* FindLink(const Facts& facts, const std::string& name) {
  if (!facts.ports) return nullptr;
  for (const Port& port : *facts.ports) {
    if (port.netdev && port.netdev->name == name) return &*port.netdev;
    if (!port.lowers) continue;
    const auto lower = std::ranges::find(*port.lowers, name, &Netdev::name);
    if (lower != port.lowers->end()) return &*lower;
  }
  return nullptr;
}

// `settings` as DecodeDcbWrites has them.
Fact<DcbWrites> WritesOf(const Netdev& link, const Fact<DcbNotices>& heard, Dcb& settings) {
  if (!HasDcb(link.dcb)) return Missing{Missing::Kind::kUnsupported, "there is no DCB"};
  if (!heard) return heard.missing();
  return DecodeDcbWrites(*heard, link.name, settings);
}

// Of two readings, the later one being `link`.
Fact<DcbWrites> WritesBetween(const Facts& before, const Netdev& link, const Fact<DcbNotices>& heard) {
  const Netdev* then = FindLink(before, link.name);
  Dcb settings = then != nullptr ? then->dcb : Dcb();
  const Fact<DcbWrites> announced = WritesOf(link, heard, settings);
  if (!announced) return announced;
  if (then == nullptr)
    return Missing{Missing::Kind::kFailed, "the interface was not there when the watch began"};
  DcbWrites writes = *announced;
  writes.unannounced = DcbDifferences(settings, link.dcb);
  return writes;
}

void KeepOnLinks(const std::function<Fact<DcbWrites>(const Netdev&)>& writes_of, Facts& facts) {
  if (!facts.ports) return;
  std::vector<Port> ports = *facts.ports;
  EachLink(
      ports,
      [](Netdev& above) {
        above.dcb_writes = Missing{Missing::Kind::kUnsupported, "DCB is that of the ports under it"};
      },
      [&](Netdev& link) { link.dcb_writes = writes_of(link); });
  facts.ports = std::move(ports);
}

}  // namespace

bool IsDcbDaemon(const ProcessName& process) {
  return std::ranges::find(kDcbDaemons, process.name) != std::end(kDcbDaemons);
}

bool AnyDcb(const Facts& facts) {
  if (!facts.ports) return false;
  return std::ranges::any_of(*facts.ports, [](const Port& port) {
    if (port.netdev && HasDcb(port.netdev->dcb)) return true;
    return port.lowers &&
           std::ranges::any_of(*port.lowers, [](const Netdev& lower) { return HasDcb(lower.dcb); });
  });
}

std::vector<std::string> DcbDifferences(const Dcb& before, const Dcb& after) {
  Differences differences;
  differences.ComparePfc(before.pfc, after.pfc);
  differences.Compare(before.ets, after.ets, "ETS");
  differences.CompareRows(before.app, after.app, "APP");
  differences.Compare(before.app_trust, after.app_trust, "APP trust");
  differences.Compare(before.dcbx, after.dcbx, "DCBX mode");
  differences.Compare(before.buffer, after.buffer, "port buffer");
  differences.Compare(before.max_rate_kbps, after.max_rate_kbps, "maximum rates");
  differences.CompareRows(before.rewrite, after.rewrite, "rewrite");
  differences.Compare(before.cee, after.cee, "CEE");
  return differences.Take();
}

DcbWrites DecodeDcbWrites(const DcbNotices& notices, const std::string& name, Dcb& settings) {
  DcbWrites writes{.listened_ms = notices.listened_ms, .lost = notices.lost};
  for (const DcbNotice& notice : notices.notices) {
    if (NetdevOf(notice) != name) continue;
    DcbWrite write{.writer = WriterOf(notice), .first_ms = notice.at_ms, .last_ms = notice.at_ms};
    if (write.writer == DcbWriter::kProcess) write.suspects = SuspectsOf(notice, notices);
    if (const Fact<Dcb> told = SettingsOf(notice, name)) {
      write.changed = DcbDifferences(settings, *told);
      Update(settings, *told);
    } else {
      write.changed = {"what could not be read"};
    }
    Append(std::move(write), writes);
  }
  return writes;
}

void KeepDcbWrites(const Fact<DcbNotices>& heard, const Facts& before, Facts& after) {
  KeepOnLinks([&](const Netdev& link) { return WritesBetween(before, link, heard); }, after);
}

Fact<DcbNotices> ListenForDcbWrites(HostReader& host, const LldpWait& wait) {
  absl::StatusOr<DcbNotices> notices = host.Ask(DcbNoticesQuestion{wait});
  if (!notices.ok()) return MissingFrom(notices.status());
  return *std::move(notices);
}

void ReadDcbWrites(HostReader& host, const LldpWait& wait, Facts& facts) {
  const Fact<DcbNotices> heard = ListenForDcbWrites(host, wait);
  KeepOnLinks(
      [&heard](const Netdev& link) {
        Dcb settings = link.dcb;
        return WritesOf(link, heard, settings);
      },
      facts);
}

}  // namespace rdmaready
