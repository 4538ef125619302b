// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/generic_families.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <utility>

#include "collectors/attributes.h"

namespace rdmaready {

absl::StatusOr<GenericFamilies> ReadGenericFamilies(HostReader& host) {
  const genlmsghdr header{.cmd = CTRL_CMD_GETFAMILY, .version = 1, .reserved = 0};
  const absl::StatusOr<std::vector<NetlinkMessage>> answer =
      host.Netlink({NETLINK_GENERIC, GENL_ID_CTRL, true, Payload::Of(header).bytes()});
  if (!answer.ok()) return answer.status();
  GenericFamilies families;
  for (const NetlinkMessage& message : *answer) {
    genlmsghdr answered{};
    const absl::StatusOr<Attributes> family = ParseMessage(message.payload, answered, "netlink family");
    if (!family.ok()) return family.status();
    absl::StatusOr<std::string> name = family->Text(CTRL_ATTR_FAMILY_NAME);
    if (!name.ok()) return name.status();
    const absl::StatusOr<std::uint16_t> number = family->U16(CTRL_ATTR_FAMILY_ID);
    if (!number.ok()) return number.status();
    families.insert_or_assign(*std::move(name), *number);
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

}  // namespace rdmaready
