// SPDX-License-Identifier: Apache-2.0
#include "collectors/questions/netlink.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

namespace rdmaready {

std::string NetlinkRequest::What() const {
  return fmt::format("ask netlink protocol {} type {}", protocol, type);
}

std::string NetlinkRequest::Command() const {
  if (protocol == NETLINK_RDMA) return fmt::format("RDMA netlink command {}", RDMA_NL_GET_OP(type));
  if (protocol != NETLINK_ROUTE) return "netlink";
  switch (type) {
    case RTM_GETLINK:
      return "rtnetlink GETLINK";
    case RTM_GETADDR:
      return "rtnetlink GETADDR";
    case RTM_GETDCB:
      return "dcbnl";
    default:
      return "rtnetlink";
  }
}

}  // namespace rdmaready
