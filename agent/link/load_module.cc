// SPDX-License-Identifier: Apache-2.0
#include "agent/link/load_module.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "api/base/handle.h"

namespace rdmaready {

void AskForRdmaClient(const char* name) {
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA));
  if (!socket) return;
  struct {
    nlmsghdr header;
    nlattr attribute;
    std::array<char, 32> name;
  } request{};
  const std::size_t bytes = std::min(std::strlen(name), request.name.size() - 1) + 1;
  std::copy_n(name, bytes - 1, request.name.begin());
  const auto length = static_cast<std::uint16_t>(sizeof request.attribute + bytes);
  request.attribute.nla_len = length;
  request.attribute.nla_type = RDMA_NLDEV_ATTR_CHARDEV_TYPE;
  // Whole words, as netlink wants them; what is behind the name is there, and 0.
  request.header.nlmsg_len = static_cast<std::uint32_t>(sizeof request.header + (std::size_t{length} + 3) / 4 * 4);
  request.header.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV);
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  if (::send(socket.get(), &request, request.header.nlmsg_len, 0) < 0) return;
  // Whatever it says: the request is done then.
  std::array<std::byte, 512> answer;
  static_cast<void>(::recv(socket.get(), answer.data(), answer.size(), 0));
}

}  // namespace rdmaready
