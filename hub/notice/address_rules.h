// SPDX-License-Identifier: Apache-2.0
// AddressRules: to which addresses the hub connects by itself. What is not public (private, link-local,
// loopback, reserved) is refused unless it is listed. Asked of the address that is connected to, so that no
// name can lead elsewhere. Pure.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::hub {

// IPv4 as IPv6 maps it (::ffff:10.0.0.1).
using AddressOctets = std::array<std::uint8_t, 16>;

struct AddressRange {
  AddressOctets octets{};
  int bits = 128;
  bool Has(const AddressOctets& address) const;
  bool operator==(const AddressRange&) const = default;
};

// "10.0.0.0/8", "fd00::/8", "127.0.0.1". kInvalidArgument, without the text.
absl::StatusOr<AddressRange> ParseAddressRange(std::string_view text);

class AddressRules {
 public:
  explicit AddressRules(std::vector<AddressRange> allowed) : allowed_(std::move(allowed)) {}

  // An address of another family is refused. What carries an IPv4 address (mapped, NAT64, 6to4) is as good as
  // that one.
  bool Allows(const ::sockaddr& address) const;

 private:
  std::vector<AddressRange> allowed_;
};

// 127.0.0.0/8 and ::1.
bool IsLoopback(const ::sockaddr& address);

}  // namespace rdmaready::hub
