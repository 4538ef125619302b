// SPDX-License-Identifier: Apache-2.0
#include "checks/device/device_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "checks/setting/network_owner.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNcclList = "NCCL_IB_HCA";

// The devices that one variable of one file names.
struct DeviceList {
  std::string source{};
  std::string key{};
  bool excluded = false;
  std::vector<const NamedDevice*> items{};
};

bool NamesRdmaDevice(const NamedDevice& named) { return NetworkManagerOf(named).empty(); }

std::vector<DeviceList> ListsOf(const std::vector<NamedDevice>& all) {
  std::vector<DeviceList> lists;
  for (const NamedDevice& one : all) {
    if (!NamesRdmaDevice(one)) continue;
    const auto same = std::ranges::find_if(lists, [&one](const DeviceList& list) {
      return list.source == one.source && list.key == one.key && list.excluded == one.excluded;
    });
    if (same != lists.end()) {
      same->items.push_back(&one);
    } else {
      lists.push_back({one.source, one.key, one.excluded, {&one}});
    }
  }
  return lists;
}

bool FitsName(const NamedDevice& named, const std::string& device) {
  return named.exact ? device == named.device : device.starts_with(named.device);
}

bool Fits(const DeviceList& list, const Port& port) {
  return std::ranges::any_of(list.items, [&port](const NamedDevice* one) {
    return FitsName(*one, port.device) && (one->port == 0 || one->port == port.number);
  });
}

// One file may be for hosts with more and with fewer devices: a list is wrong where it leaves no device.
bool LeavesADevice(const DeviceList& list, const std::vector<Port>& ports) {
  return std::ranges::any_of(ports, [&list](const Port& port) { return Fits(list, port) != list.excluded; });
}

std::string NamesText(const DeviceList& list) {
  std::string text;
  for (const NamedDevice* one : list.items) {
    text += Cat(text.empty() ? "" : ",", Printable(one->device));
    if (one->port != 0) text += Cat(":", one->port);
  }
  return text;
}

// "NCCL_IB_HCA=mlx5_0:1,mlx5_1:1 (/etc/nccl.conf)".
std::string ListWords(const DeviceList& list) {
  const bool signs = list.key == kNcclList && list.items.front()->exact;
  return Cat(list.key, list.key.empty() ? "" : "=", list.excluded ? "^" : "", signs ? "=" : "", NamesText(list),
             " (", Printable(list.source), ")");
}

std::string WhyNone(const DeviceList& list, const std::vector<Port>& ports) {
  if (list.excluded) return "excludes every RDMA device";
  const bool by_name = std::ranges::any_of(ports, [&list](const Port& port) {
    return std::ranges::any_of(list.items,
                               [&port](const NamedDevice* one) { return FitsName(*one, port.device); });
  });
  return by_name ? "the RDMA device has no port of that number" : "no RDMA device of that name";
}

std::vector<std::string> DevicesOf(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) {
    if (std::ranges::find(names, port.device) == names.end()) names.push_back(port.device);
  }
  return names;
}

std::string DevicesText(const std::vector<std::string>& names, std::string_view sign, std::string_view end) {
  std::string text;
  for (const std::string& name : names) text += Cat(text.empty() ? "" : sign, Printable(name), end);
  return text;
}

// UCX takes no device without its port.
std::string ValueThatFits(const DeviceList& list, const std::vector<std::string>& devices) {
  if (list.key != kNcclList) return Cat(list.key, "=", DevicesText(devices, ",", ":1"));
  const bool ambiguous = std::ranges::any_of(devices, [&devices](const std::string& one) {
    return std::ranges::any_of(
        devices, [&one](const std::string& other) { return other != one && other.starts_with(one); });
  });
  return Cat(list.key, "=", ambiguous ? "=" : "", DevicesText(devices, ",", ""));
}

Fix NamesFix(const std::vector<const DeviceList*>& gone, const std::vector<std::string>& devices) {
  constexpr std::size_t kMostSteps = 4;
  Fix fix;
  for (const DeviceList* list : gone) {
    if (list->key.empty()) return {};  // an older agent did not say which variable it is
    if (fix.remedy().steps.size() >= kMostSteps) break;
    const std::string file = ShellWord(list->source);
    fix = list->excluded ? std::move(fix).Do(Cat("remove ", list->key, " from ", file,
                                                 ", or exclude only the devices that jobs must not use"))
                         : std::move(fix).Do(Cat("write ", ValueThatFits(*list, devices), " into ", file,
                                                 ", without the devices that jobs must not use"));
  }
  return std::move(fix)
      .Because(gone.front()->excluded ? "the list is of another host, or a beginning of a name fits too much"
                                      : "the RDMA devices were renamed, or the file is of another host")
      .Caution("only jobs that start later read the file, and a job may set the variable itself")
      .CheckBy("rdma link show");
}

}  // namespace

Verdict JudgeDeviceNames(const HostView& view) {
  constexpr std::string_view kExpected = "names of RDMA devices that are there";
  constexpr std::string_view kNamesSource = "configuration files, RDMA netlink";
  const Facts& host = view.host;
  const std::vector<DeviceList> lists =
      host.named_devices ? ListsOf(*host.named_devices) : std::vector<DeviceList>{};
  if (host.named_devices && lists.empty()) return NotApplicable("no software here names an RDMA device");
  if (!host.named_devices) return NoAnswer(host.named_devices.missing(), kExpected, kNamesSource);
  if (!host.ports) return NoAnswer(host.ports.missing(), kExpected, kNamesSource);
  std::string there;
  std::string wrong;
  std::vector<const DeviceList*> gone;
  for (const DeviceList& list : lists) {
    if (LeavesADevice(list, *host.ports)) {
      there += Cat(there.empty() ? "" : ", ", ListWords(list));
      continue;
    }
    gone.push_back(&list);
    wrong += Cat(wrong.empty() ? "" : "; ", ListWords(list), ": ", WhyNone(list, *host.ports));
  }
  if (gone.empty()) return Judged(true, there, kExpected, kNamesSource);
  if (!host.rdma_netns_shared && !NotOffered(host.rdma_netns_shared))
    return NoAnswer(host.rdma_netns_shared.missing(), kExpected, kNamesSource);
  if (host.rdma_netns_shared && !*host.rdma_netns_shared)
    return NotApplicable("network namespaces have RDMA devices of their own: not all are seen here");
  const std::vector<std::string> devices = DevicesOf(*host.ports);
  return Judged(false, Cat(wrong, "; there are: ", DevicesText(devices, ", ", "")), kExpected, kNamesSource,
                NamesFix(gone, devices));
}

}  // namespace rdmaready
