// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/netlink_answer.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>

#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostMessages = 256;
constexpr std::size_t kMostWordBytes = 200;

std::size_t AlignedUp(std::size_t bytes) {
  return (bytes + NLMSG_ALIGNTO - 1) & ~(std::size_t{NLMSG_ALIGNTO} - 1);
}

template <class T>
std::optional<T> HeadOf(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

// What stands behind struct nlmsgerr: the request's payload, unless it was left out, then attributes.
std::string WordsOf(std::span<const std::byte> payload, const nlmsgerr& error, std::uint16_t flags) {
  if ((flags & NLM_F_ACK_TLVS) == 0) return {};
  std::size_t before = sizeof(nlmsgerr);
  if ((flags & NLM_F_CAPPED) == 0) before = sizeof(int) + AlignedUp(error.msg.nlmsg_len);
  if (before < sizeof(nlmsgerr) || before > payload.size()) return {};
  const absl::StatusOr<Attributes> attributes = Attributes::Parse(payload.subspan(before), "netlink error");
  if (!attributes.ok()) return {};
  const absl::StatusOr<std::string> words = attributes->Text(NLMSGERR_ATTR_MSG);
  return words.ok() ? SafeLine(*words, kMostWordBytes) : std::string();
}

void AddEnd(std::span<const std::byte> payload, std::uint16_t flags, NetlinkAnswer& answer) {
  const auto error = HeadOf<nlmsgerr>(payload);
  answer.done = true;
  if (!error || error->error > 0 || error->error < -4095) {  // MAX_ERRNO of the kernel
    answer.broken = true;
    return;
  }
  answer.error_number = -error->error;
  if (answer.error_number != 0) answer.words = WordsOf(payload, *error, flags);
}

}  // namespace

void AddDatagram(std::span<const std::byte> datagram, std::uint32_t sequence, NetlinkAnswer& answer) {
  while (!datagram.empty() && !answer.done) {
    const auto header = HeadOf<nlmsghdr>(datagram);
    if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size()) {
      answer.broken = true;
      return;
    }
    const std::span<const std::byte> payload =
        datagram.first(header->nlmsg_len).subspan(std::min<std::size_t>(NLMSG_HDRLEN, header->nlmsg_len));
    if (header->nlmsg_seq == sequence && header->nlmsg_type == NLMSG_ERROR) {
      AddEnd(payload, header->nlmsg_flags, answer);
    } else if (header->nlmsg_seq == sequence && answer.messages.size() == kMostMessages) {
      answer.broken = true;
    } else if (header->nlmsg_seq == sequence && header->nlmsg_type >= NLMSG_MIN_TYPE) {
      answer.messages.push_back({header->nlmsg_type, {payload.begin(), payload.end()}});
    }
    datagram = datagram.subspan(std::min(AlignedUp(header->nlmsg_len), datagram.size()));
  }
}

std::vector<std::byte> DatagramOf(const NetlinkRequest& request, std::uint32_t sequence) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + request.payload.size());
  header.nlmsg_type = request.type;
  header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  header.nlmsg_seq = sequence;
  const auto head = std::as_bytes(std::span(&header, 1));
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.resize(NLMSG_HDRLEN);
  bytes.insert(bytes.end(), request.payload.begin(), request.payload.end());
  return bytes;
}

}  // namespace rdmaready
