// SPDX-License-Identifier: Apache-2.0
#include "collectors/attributes.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include <algorithm>
#include <cstring>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kHeaderBytes = sizeof(nlattr);

std::size_t Aligned(std::size_t bytes) { return (bytes + NLA_ALIGNTO - 1) & ~(std::size_t{NLA_ALIGNTO} - 1); }

}  // namespace

absl::Status Malformed(std::string_view what, std::string_view why) {
  return absl::DataLossError("decode " + std::string(what) + ": " + std::string(why));
}

std::optional<std::span<const std::byte>> SplitHeader(std::span<const std::byte> payload,
                                                      std::span<std::byte> header) {
  const std::size_t padded = Aligned(header.size());
  if (payload.size() < header.size()) return std::nullopt;
  std::memcpy(header.data(), payload.data(), header.size());
  return payload.subspan(std::min(padded, payload.size()));
}

// The same walk as libnl's nla_parse, over a copy of each header: libnl dereferences the bytes in place, which
// needs their alignment, and drops what is left over without a message.
absl::StatusOr<Attributes> Attributes::Parse(std::span<const std::byte> bytes, std::string_view what) {
  Attributes result;
  result.what_ = what;
  while (!bytes.empty()) {
    nlattr header{};
    if (bytes.size() < kHeaderBytes) return Malformed(what, "truncated attribute header");
    std::memcpy(&header, bytes.data(), kHeaderBytes);
    if (header.nla_len < kHeaderBytes) return Malformed(what, "attribute shorter than its header");
    if (header.nla_len > bytes.size()) return Malformed(what, "attribute longer than the message");
    result.list_.push_back({nla_type(&header), bytes.subspan(kHeaderBytes, header.nla_len - kHeaderBytes)});
    bytes = bytes.subspan(std::min(Aligned(header.nla_len), bytes.size()));
  }
  return result;
}

std::optional<std::span<const std::byte>> Attributes::Find(int type) const {
  const auto found =
      std::find_if(list_.rbegin(), list_.rend(), [type](const Attribute& one) { return one.type == type; });
  if (found == list_.rend()) return std::nullopt;
  return found->value;
}

template <class T>
absl::StatusOr<T> Attributes::Number(int type) const {
  const auto value = Find(type);
  if (!value) return Malformed(what_, fmt::format("no attribute {}", type));
  if (value->size() != sizeof(T)) {
    return Malformed(what_, fmt::format("attribute {} has {} bytes, not {}", type, value->size(), sizeof(T)));
  }
  T number{};
  std::memcpy(&number, value->data(), sizeof(T));
  return number;
}

absl::StatusOr<std::uint8_t> Attributes::U8(int type) const { return Number<std::uint8_t>(type); }
absl::StatusOr<std::uint16_t> Attributes::U16(int type) const { return Number<std::uint16_t>(type); }
absl::StatusOr<std::uint32_t> Attributes::U32(int type) const { return Number<std::uint32_t>(type); }
absl::StatusOr<std::uint64_t> Attributes::U64(int type) const { return Number<std::uint64_t>(type); }

absl::StatusOr<std::string> Attributes::Text(int type) const {
  const auto value = Find(type);
  if (!value) return Malformed(what_, fmt::format("no attribute {}", type));
  const auto end = std::find(value->begin(), value->end(), std::byte{0});
  if (end == value->end()) return Malformed(what_, fmt::format("attribute {} is not a string", type));
  std::string text(static_cast<std::size_t>(end - value->begin()), '\0');
  std::memcpy(text.data(), value->data(), text.size());
  return text;
}

Payload& Payload::U32(int type, std::uint32_t value) {
  Attribute(type, std::as_bytes(std::span(&value, 1)));
  return *this;
}

Payload& Payload::Text(int type, const std::string& value) {
  Attribute(type, std::as_bytes(std::span(value.c_str(), value.size() + 1)));
  return *this;
}

Payload& Payload::Bytes(int type, std::span<const std::byte> value) {
  Attribute(type, value);
  return *this;
}

Payload& Payload::Nest(int type, const Payload& inside) {
  Attribute(type | NLA_F_NESTED, inside.bytes());
  return *this;
}

Payload& Payload::Join(const Payload& more) {
  Append(more.bytes());
  return *this;
}

void Payload::Append(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.resize(Aligned(bytes_.size()));
}

void Payload::Attribute(int type, std::span<const std::byte> value) {
  nlattr header{};
  header.nla_len = static_cast<std::uint16_t>(kHeaderBytes + value.size());
  header.nla_type = static_cast<std::uint16_t>(type);
  Append(std::as_bytes(std::span(&header, 1)));
  Append(value);
}

absl::StatusOr<NetlinkMessage> AskForOne(HostReader& host, const NetlinkRequest& request,
                                         std::string_view what) {
  RR_ASSIGN_OR_RETURN(std::vector<NetlinkMessage> answer, host.Netlink(request));
  if (answer.empty()) return Malformed(what, "empty answer");
  return std::move(answer.front());
}

}  // namespace rdmaready
