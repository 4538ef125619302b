// SPDX-License-Identifier: Apache-2.0
// The answer to one request by netlink, put together out of datagrams. Pure; the bytes may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectors/questions/netlink.h"

namespace rdmaready {

struct NetlinkAnswer {
  std::vector<NetlinkMessage> messages{};  // without the acknowledgement
  bool done = false;                       // the acknowledgement, or the error, was there: nothing more comes
  bool broken = false;                     // something was no whole message
  int error_number = 0;                    // 0: acknowledged
  std::string words{};                     // what the kernel says of its error, on one line; mostly nothing

  bool operator==(const NetlinkAnswer&) const = default;
};

// Adds what a datagram of the kernel holds of the answer to the request of that number. Messages with another
// number are left out; once done, nothing is added.
void AddDatagram(std::span<const std::byte> datagram, std::uint32_t sequence, NetlinkAnswer& answer);

// The request as it is sent: struct nlmsghdr, then the payload. It asks for an acknowledgement.
std::vector<std::byte> DatagramOf(const NetlinkRequest& request, std::uint32_t sequence);

}  // namespace rdmaready
