// SPDX-License-Identifier: Apache-2.0
#include "collectors/netdev.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <charconv>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/addresses.h"
#include "collectors/attributes.h"
#include "collectors/dcb.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kLargestVlanId = 4095;

absl::Status DecodeLinkInfo(std::span<const std::byte> bytes, Link* link) {
  const absl::StatusOr<Attributes> info = Attributes::Parse(bytes, "link information");
  if (!info.ok()) return info.status();
  if (!info->Find(IFLA_INFO_KIND)) return absl::OkStatus();
  absl::StatusOr<std::string> kind = info->Text(IFLA_INFO_KIND);
  if (!kind.ok()) return kind.status();
  link->kind = *std::move(kind);
  const auto data = info->Find(IFLA_INFO_DATA);
  if (link->kind != "vlan" || !data) return absl::OkStatus();
  const absl::StatusOr<Attributes> vlan = Attributes::Parse(*data, "VLAN information");
  if (!vlan.ok()) return vlan.status();
  const absl::StatusOr<std::uint16_t> id = vlan->U16(IFLA_VLAN_ID);
  if (!id.ok()) return id.status();
  if (*id > kLargestVlanId) return Malformed("VLAN information", "VLAN " + std::to_string(*id));
  link->vlan_id = *id;
  return absl::OkStatus();
}

// OK when sysfs under the name shows the interface with this index. It shows another one after a rename, and
// when /sys was mounted for another network namespace.
absl::Status SysfsShows(HostReader& host, const Link& link) {
  const std::string path = "/sys/class/net/" + link.name + "/ifindex";
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok()) return text.status();
  if (TrimRight(*text) == std::to_string(link.ifindex)) return absl::OkStatus();
  return absl::FailedPreconditionError("read " + path + ": /sys shows another network namespace");
}

// The bus driver of hardware, else the kind of a virtual device.
std::string ReadDriver(HostReader& host, const Link& link, bool sysfs_usable) {
  if (!sysfs_usable) return link.kind;
  const absl::StatusOr<std::string> target = host.ReadLink("/sys/class/net/" + link.name + "/device/driver");
  if (!target.ok()) return link.kind;
  return target->substr(target->rfind('/') + 1);  // npos + 1 is the whole text
}

}  // namespace

absl::StatusOr<Link> DecodeLink(std::span<const std::byte> payload) {
  ifinfomsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, &header, "link");
  if (!attributes.ok()) return attributes.status();
  if (header.ifi_index <= 0) return Malformed("link", "ifindex " + std::to_string(header.ifi_index));
  Link link{.ifindex = static_cast<std::uint32_t>(header.ifi_index),
            .admin_up = (header.ifi_flags & IFF_UP) != 0,
            .carrier = (header.ifi_flags & IFF_LOWER_UP) != 0};
  absl::StatusOr<std::string> name = attributes->Text(IFLA_IFNAME);
  if (!name.ok()) return name.status();
  if (name->empty() || name->size() >= IFNAMSIZ || *name == "." || *name == ".." ||
      name->find('/') != std::string::npos) {
    return Malformed("link", "impossible name \"" + *name + "\"");
  }
  link.name = *std::move(name);
  const absl::StatusOr<std::uint32_t> mtu = attributes->U32(IFLA_MTU);
  if (!mtu.ok()) return mtu.status();
  link.mtu_bytes = *mtu;
  if (const auto info = attributes->Find(IFLA_LINKINFO)) RR_RETURN_IF_ERROR(DecodeLinkInfo(*info, &link));
  return link;
}

absl::StatusOr<Link> ReadLinkByIndex(HostReader& host, std::uint32_t ifindex) {
  ifinfomsg header{};
  header.ifi_index = static_cast<int>(ifindex);
  const NetlinkRequest request{NETLINK_ROUTE, RTM_GETLINK, false,
                               Payload::Of(header).U32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS).bytes()};
  const absl::StatusOr<NetlinkMessage> answer = AskForOne(host, request, "link");
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Link> link = DecodeLink(answer->payload);
  if (link.ok() && link->ifindex != ifindex) return Malformed("link", "the answer is about another interface");
  return link;
}

Fact<std::uint32_t> DecodeSpeed(const absl::StatusOr<std::string>& text, bool carrier) {
  const bool no_answer = text.status().code() == absl::StatusCode::kInvalidArgument;
  if (!text.ok() && !no_answer) return MissingFrom(text.status());
  const std::string number = no_answer ? "-1" : TrimRight(*text);
  if (number == "-1") {
    if (!carrier) return Missing{Missing::Kind::kFailed, "speed unknown while link is down"};
    return Missing{Missing::Kind::kUnsupported, "driver reports unknown speed"};
  }
  std::uint32_t speed_mbps = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), speed_mbps);
  if (error != std::errc() || end != number.data() + number.size()) {
    return Missing{Missing::Kind::kFailed, "\"" + number + "\" is not a speed"};
  }
  return speed_mbps;
}

Fact<Netdev> ReadNetdev(HostReader& host, std::uint32_t ifindex) {
  const absl::StatusOr<Link> link = ReadLinkByIndex(host, ifindex);
  if (!link.ok()) return MissingFrom(link.status());
  const std::string sysfs = "/sys/class/net/" + link->name;
  const absl::Status sysfs_status = SysfsShows(host, *link);

  Netdev netdev{.name = link->name,
                .ifindex = link->ifindex,
                .driver = ReadDriver(host, *link, sysfs_status.ok()),
                .admin_up = link->admin_up,
                .carrier = link->carrier,
                .mtu_bytes = link->mtu_bytes};
  const absl::StatusOr<std::string> speed =
      sysfs_status.ok() ? host.ReadFile(sysfs + "/speed") : absl::StatusOr<std::string>(sysfs_status);
  netdev.vlan_id = link->vlan_id ? Fact<std::uint16_t>(*link->vlan_id)
                                 : Missing{Missing::Kind::kUnsupported, "not a VLAN device"};
  netdev.addresses = ReadAddresses(host, ifindex);
  netdev.dcb = ReadDcb(host, link->name);

  const absl::StatusOr<Link> after = ReadLinkByIndex(host, ifindex);
  if (!after.ok()) return MissingFrom(after.status());
  if (after->name != link->name) {
    return Missing{Missing::Kind::kFailed,
                   "read " + link->name + ": it was renamed to " + after->name + " while it was read"};
  }
  // A link that went down meanwhile explains an unknown speed better than the driver does.
  netdev.speed_mbps = DecodeSpeed(speed, link->carrier && after->carrier);
  return netdev;
}

}  // namespace rdmaready
