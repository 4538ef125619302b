// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/ethtool_family.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostBits = 4096;

absl::Status DecodeBit(std::span<const std::byte> nest, std::string_view what, BitSet& bits, bool masked) {
  const absl::StatusOr<Attributes> bit = Attributes::Parse(nest, what);
  if (!bit.ok()) return bit.status();
  absl::StatusOr<std::string> name = bit->Text(ETHTOOL_A_BITSET_BIT_NAME);
  if (!name.ok()) return name.status();
  if (!masked || bit->Find(ETHTOOL_A_BITSET_BIT_VALUE)) bits.set.push_back(*name);
  bits.all.push_back(*std::move(name));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::uint16_t> FindEthtoolFamily(const absl::StatusOr<GenericFamilies>& families) {
  return FamilyNamed(families, ETHTOOL_GENL_NAME,
                     "the kernel has no ethtool netlink (CONFIG_ETHTOOL_NETLINK, Linux 5.6)");
}

absl::StatusOr<EthtoolAnswer> EthtoolAnswer::Ask(HostReader& host, std::uint16_t family, std::uint8_t command,
                                                 int header_attribute, std::uint32_t ifindex, bool statistics,
                                                 const Payload& extra, std::string_view what) {
  const genlmsghdr header{.cmd = command, .version = ETHTOOL_GENL_VERSION, .reserved = 0};
  Payload about;
  about.U32(ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
  if (statistics) about.U32(ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_STATS);
  Payload payload = Payload::Of(header);
  payload.Nest(header_attribute, about).Join(extra);
  absl::StatusOr<NetlinkMessage> message =
      AskForOne(host, {NETLINK_GENERIC, family, false, payload.bytes()}, what);
  if (!message.ok()) return message.status();
  EthtoolAnswer answer;
  answer.bytes_ = std::move(message->payload);
  genlmsghdr answered{};
  absl::StatusOr<Attributes> attributes = ParseMessage(answer.bytes_, answered, what);
  if (!attributes.ok()) return attributes.status();
  answer.attributes_ = *std::move(attributes);  // views of the heap, which moving the answer leaves in place
  return answer;
}

absl::StatusOr<BitSet> DecodeBitSet(std::span<const std::byte> nest, std::string_view what) {
  const absl::StatusOr<Attributes> set = Attributes::Parse(nest, what);
  if (!set.ok()) return set.status();
  BitSet bits;
  const auto list = set->Find(ETHTOOL_A_BITSET_BITS);
  if (!list) return Malformed(what, "no bits in the set");
  const absl::StatusOr<Attributes> rows = Attributes::Parse(*list, what);
  if (!rows.ok()) return rows.status();
  if (rows->all().size() > kMostBits) return Malformed(what, "too many bits");
  const bool masked = !set->Find(ETHTOOL_A_BITSET_NOMASK);
  for (const Attributes::Attribute& row : rows->all()) {
    if (row.type != ETHTOOL_A_BITSET_BITS_BIT) return Malformed(what, "a bit that is none");
    RR_RETURN_IF_ERROR(DecodeBit(row.value, what, bits, masked));
  }
  return bits;
}

}  // namespace rdmaready
