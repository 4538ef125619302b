// SPDX-License-Identifier: Apache-2.0
// Netlink payloads: reading attributes that may be hostile, and writing requests. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// A list of netlink attributes, in order; every length was checked against the bytes. Holds views: the bytes
// given to Parse must outlive it.
class Attributes {
 public:
  struct Attribute {
    int type = 0;  // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
    std::span<const std::byte> value{};
  };

  // An error when an attribute's length does not fit, or bytes are left over (a truncated list must not look
  // like a list without the last attributes). `what` names the object in error text. Any alignment is fine.
  static absl::StatusOr<Attributes> Parse(std::span<const std::byte> bytes, std::string_view what);

  // The last one of the type, as libnl's nla_parse keeps it.
  std::optional<std::span<const std::byte>> Find(int type) const;

  // An error when the attribute is absent or has another length. Text must end in NUL.
  absl::StatusOr<std::uint8_t> U8(int type) const;
  absl::StatusOr<std::uint16_t> U16(int type) const;
  absl::StatusOr<std::uint32_t> U32(int type) const;
  absl::StatusOr<std::uint64_t> U64(int type) const;
  absl::StatusOr<std::string> Text(int type) const;

  const std::vector<Attribute>& all() const { return list_; }

 private:
  template <class T>
  absl::StatusOr<T> Number(int type) const;

  std::string what_{};
  std::vector<Attribute> list_{};
};

// Splits `payload` into its protocol header, copied to `header`, and the attributes after it.
template <class Header>
absl::StatusOr<Attributes> ParseMessage(std::span<const std::byte> payload, Header& header,
                                        std::string_view what);

// Builds the payload of a request.
class Payload {
 public:
  template <class Header>
  static Payload Of(const Header& header) {
    Payload payload;
    payload.Append(std::as_bytes(std::span(&header, 1)));
    return payload;
  }
  Payload& U32(int type, std::uint32_t value);
  Payload& Text(int type, const std::string& value);  // with its NUL
  Payload& Bytes(int type, std::span<const std::byte> value);
  Payload& Nest(int type, const Payload& inside);  // marked as nested, as strict families want it
  Payload& Join(const Payload& more);              // its attributes after our own
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void Append(std::span<const std::byte> bytes);
  void Attribute(int type, std::span<const std::byte> value);

  std::vector<std::byte> bytes_{};
};

// The only message of an answer to a question about one object; an error when there is none.
absl::StatusOr<NetlinkMessage> AskForOne(HostReader& host, const NetlinkRequest& request,
                                         std::string_view what);

// An answer that makes no sense: "decode <what>: <why>".
absl::Status Malformed(std::string_view what, std::string_view why);

// Copies the head of `payload` into `header`, and returns what follows; nothing when it is shorter.
std::optional<std::span<const std::byte>> SplitHeader(std::span<const std::byte> payload,
                                                      std::span<std::byte> header);

template <class Header>
absl::StatusOr<Attributes> ParseMessage(std::span<const std::byte> payload, Header& header,
                                        std::string_view what) {
  const auto rest = SplitHeader(payload, std::as_writable_bytes(std::span(&header, 1)));
  if (!rest) return Malformed(what, "shorter than its header");
  return Attributes::Parse(*rest, what);
}

}  // namespace rdmaready
