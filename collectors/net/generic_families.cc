// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/generic_families.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <utility>

#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

absl::StatusOr<std::vector<NetlinkMessage>> ListFamilies(HostReader& host) {
  const genlmsghdr header{.cmd = CTRL_CMD_GETFAMILY, .version = 1, .reserved = 0};
  return host.Netlink({NETLINK_GENERIC, GENL_ID_CTRL, true, Payload::Of(header).bytes()});
}

// Of CTRL_ATTR_MCAST_GROUPS. 0: it is not among them.
absl::StatusOr<std::uint32_t> GroupNamed(std::span<const std::byte> nest, const std::string& wanted) {
  RR_ASSIGN_OR_RETURN(const Attributes groups, Attributes::Parse(nest, "netlink groups"));
  for (const Attributes::Attribute& one : groups.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes group, Attributes::Parse(one.value, "netlink group"));
    RR_ASSIGN_OR_RETURN(const std::string name, group.Text(CTRL_ATTR_MCAST_GRP_NAME));
    if (name == wanted) return group.U32(CTRL_ATTR_MCAST_GRP_ID);
  }
  return 0;
}

}  // namespace

absl::StatusOr<GenericFamilies> ReadGenericFamilies(HostReader& host) {
  RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, ListFamilies(host));
  GenericFamilies families;
  for (const NetlinkMessage& message : answer) {
    genlmsghdr answered{};
    RR_ASSIGN_OR_RETURN(const Attributes family, ParseMessage(message.payload, answered, "netlink family"));
    RR_ASSIGN_OR_RETURN(std::string name, family.Text(CTRL_ATTR_FAMILY_NAME));
    RR_ASSIGN_OR_RETURN(const std::uint16_t number, family.U16(CTRL_ATTR_FAMILY_ID));
    families.insert_or_assign(std::move(name), number);
  }
  return families;
}

absl::StatusOr<std::uint16_t> FamilyNamed(const absl::StatusOr<GenericFamilies>& families,
                                          const std::string& name, const char* absent) {
  if (!families.ok()) return families.status();
  const auto found = families->find(name);
  if (found == families->end()) return absl::UnimplementedError(absent);
  return found->second;
}

absl::StatusOr<GenericGroup> FindGenericGroup(HostReader& host, const std::string& family,
                                              const std::string& group) {
  RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, ListFamilies(host));
  for (const NetlinkMessage& message : answer) {
    genlmsghdr answered{};
    RR_ASSIGN_OR_RETURN(const Attributes one, ParseMessage(message.payload, answered, "netlink family"));
    const auto groups = one.Find(CTRL_ATTR_MCAST_GROUPS);
    if (!groups || one.Text(CTRL_ATTR_FAMILY_NAME).value_or("") != family) continue;
    GenericGroup found;
    RR_ASSIGN_OR_RETURN(found.family, one.U16(CTRL_ATTR_FAMILY_ID));
    RR_ASSIGN_OR_RETURN(found.group, GroupNamed(*groups, group));
    if (found.group != 0) return found;
  }
  return absl::UnimplementedError("the kernel has no " + family + " group " + group);
}

}  // namespace rdmaready
