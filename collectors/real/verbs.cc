// SPDX-License-Identifier: Apache-2.0
// What libibverbs tells of a device and its ports. Queries only: no protection domain, no memory, no queue
// pair. They fail when the device is not there, or may not be opened (/dev/infiniband/uverbs*).
#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/questions/rdma.h"
#include "collectors/rdma/verbs_status.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

using DeviceList = Handle<ibv_device*, ibv_free_device_list>;
using Context = Handle<ibv_context, ibv_close_device>;

absl::StatusOr<Context> Open(const std::string& name) {
  RR_RETURN_IF_ERROR(RequireClass("/sys/class/infiniband_verbs", "ib_uverbs"));
  int count = 0;
  errno = 0;
  const DeviceList list(ibv_get_device_list(&count));
  if (!list) return ErrnoStatus(errno != 0 ? errno : EIO, "list verbs devices");
  for (int i = 0; i < count; ++i) {
    ibv_device* device = list.get()[i];
    if (name != ibv_get_device_name(device)) continue;
    errno = 0;
    Context context(ibv_open_device(device));
    if (!context) return ErrnoStatus(errno != 0 ? errno : EIO, "open verbs device " + name);
    return context;
  }
  return VerbsDeviceNotListed(name);
}

absl::StatusOr<ibv_port_attr> QueryPort(ibv_context* context, const std::string& device, std::uint32_t port) {
  const std::string object = fmt::format("query verbs port {}/{}", device, port);
  if (port == 0 || port > std::numeric_limits<std::uint8_t>::max()) return ErrnoStatus(EINVAL, object);
  ibv_port_attr attr{};
  const int error_number = ibv_query_port(context, static_cast<std::uint8_t>(port), &attr);
  if (error_number != 0) return ErrnoStatus(error_number > 0 ? error_number : -error_number, object);
  return attr;
}

}  // namespace

absl::StatusOr<VerbsPortAnswer> VerbsPortQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const Context context, Open(device));
  RR_ASSIGN_OR_RETURN(const ibv_port_attr attr, QueryPort(context.get(), device, port));
  return VerbsPortAnswer{.state = static_cast<std::uint32_t>(attr.state),
                         .phys_state = attr.phys_state,
                         .max_mtu = static_cast<std::uint32_t>(attr.max_mtu),
                         .active_mtu = static_cast<std::uint32_t>(attr.active_mtu),
                         .link_layer = attr.link_layer};
}

absl::StatusOr<VerbsDeviceAnswer> VerbsDeviceQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const Context context, Open(device));
  ibv_device_attr attr{};
  if (const int error_number = ibv_query_device(context.get(), &attr); error_number != 0) {
    return ErrnoStatus(error_number > 0 ? error_number : -error_number, What());
  }
  const auto count = [](int number) { return number > 0 ? static_cast<std::uint32_t>(number) : 0; };
  return VerbsDeviceAnswer{.device_cap_flags = attr.device_cap_flags,
                           .max_qp = count(attr.max_qp),
                           .max_qp_wr = count(attr.max_qp_wr),
                           .max_sge = count(attr.max_sge),
                           .max_sge_rd = count(attr.max_sge_rd),
                           .max_cqe = count(attr.max_cqe),
                           .max_mr = count(attr.max_mr),
                           .max_mw = count(attr.max_mw),
                           .max_qp_rd_atom = count(attr.max_qp_rd_atom),
                           .max_qp_init_rd_atom = count(attr.max_qp_init_rd_atom)};
}

absl::StatusOr<std::vector<VerbsGid>> VerbsGidTableQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const Context context, Open(device));
  // The kernel refuses a buffer smaller than the number of filled slots, so it gets room for all slots.
  ibv_device_attr device_attr{};
  if (const int error_number = ibv_query_device(context.get(), &device_attr); error_number != 0) {
    return ErrnoStatus(error_number, What());
  }
  std::size_t slots = 0;
  for (std::uint32_t port = 1; port <= device_attr.phys_port_cnt; ++port) {
    RR_ASSIGN_OR_RETURN(const ibv_port_attr attr, QueryPort(context.get(), device, port));
    if (attr.gid_tbl_len > 0) slots += static_cast<std::size_t>(attr.gid_tbl_len);
  }
  if (slots == 0) return std::vector<VerbsGid>{};
  std::vector<ibv_gid_entry> entries(slots);
  const ssize_t filled = ibv_query_gid_table(context.get(), entries.data(), entries.size(), 0);
  if (filled < 0) return ErrnoStatus(static_cast<int>(-filled), What());

  std::vector<VerbsGid> gids;
  for (std::size_t i = 0; i < static_cast<std::size_t>(filled) && i < entries.size(); ++i) {
    const ibv_gid_entry& entry = entries[i];
    VerbsGid gid{.port = entry.port_num,
                 .index = entry.gid_index,
                 .type = entry.gid_type,
                 .ifindex = entry.ndev_ifindex};
    static_assert(sizeof(entry.gid.raw) == sizeof(gid.raw));
    std::memcpy(gid.raw.data(), entry.gid.raw, gid.raw.size());
    gids.push_back(gid);
  }
  return gids;
}

}  // namespace rdmaready
