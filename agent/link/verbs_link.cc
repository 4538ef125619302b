// SPDX-License-Identifier: Apache-2.0
// What belongs neither to the set-up nor to the data path: memory, description and the end.
#include "agent/link/verbs_link.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "agent/link/failure.h"
#include "agent/link/verbs_text.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

std::string MemlockText() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : BytesText(limit.rlim_cur);
}

int FlagsOf(Access access, bool iwarp) {
  switch (access) {
    case Access::kSendSource:
      return 0;
    case Access::kReceiveTarget:
      return IBV_ACCESS_LOCAL_WRITE;
    // On iWARP the answer to a read comes in as a remote write.
    case Access::kReadDestination:
      return IBV_ACCESS_LOCAL_WRITE | (iwarp ? IBV_ACCESS_REMOTE_WRITE : 0);
    // Verbs want local write wherever the peer may write.
    case Access::kRemoteWrite:
      return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    case Access::kRemoteRead:
      return IBV_ACCESS_REMOTE_READ;
    // No remote access but that of a window, which wants the local one here.
    case Access::kWindowedWrite:
      return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
  }
  return 0;
}

std::string TransportOf(ibv_context* context, std::uint8_t port, ibv_qp* queue_pair) {
  if (context->device->transport_type == IBV_TRANSPORT_IWARP) return "iwarp";
  ibv_port_attr attributes{};
  if (ibv_query_port(context, port, &attributes) != 0) return {};
  if (attributes.link_layer != IBV_LINK_LAYER_ETHERNET) return "infiniband";
  ibv_qp_attr path{};
  ibv_qp_init_attr unused{};
  ibv_gid_entry entry{};
  if (ibv_query_qp(queue_pair, &path, IBV_QP_AV, &unused) != 0 ||
      ibv_query_gid_ex(context, port, path.ah_attr.grh.sgid_index, &entry, 0) != 0) {
    return "roce";
  }
  return entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? "roce-v2" : "roce-v1";
}

Marking MarkingOf(ibv_qp* queue_pair) {
  ibv_qp_attr path{};
  ibv_qp_init_attr unused{};
  if (ibv_query_qp(queue_pair, &path, IBV_QP_AV, &unused) != 0) return {};
  return {.traffic_class = path.ah_attr.grh.traffic_class, .service_level = path.ah_attr.sl};
}

// siw tells the two depths the wrong way round, and the connection manager of iWARP from the peer's point of
// view: the lesser of both is safe, and equal to either between two ends that ask for all they can.
std::uint32_t ReadDepthOf(ibv_qp* queue_pair) {
  ibv_qp_attr depths{};
  ibv_qp_init_attr unused{};
  if (ibv_query_qp(queue_pair, &depths, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC, &unused) != 0) {
    return 0;
  }
  return std::min(depths.max_rd_atomic, depths.max_dest_rd_atomic);
}

// siw answers with the MTU of its netdev, which says nothing of its segments.
std::optional<std::uint32_t> PathMtuOf(ibv_qp* queue_pair) {
  ibv_qp_attr path{};
  ibv_qp_init_attr unused{};
  if (ibv_query_qp(queue_pair, &path, IBV_QP_PATH_MTU, &unused) != 0) return std::nullopt;
  switch (path.path_mtu) {
    case IBV_MTU_256:
    case IBV_MTU_512:
    case IBV_MTU_1024:
    case IBV_MTU_2048:
    case IBV_MTU_4096:
      return 128U << static_cast<unsigned>(path.path_mtu);
  }
  return std::nullopt;
}

}  // namespace

VerbsLink::~VerbsLink() {
  if (queue_ && unacknowledged_ > 0) ibv_ack_cq_events(queue_.get(), unacknowledged_);
}

absl::StatusOr<MemoryId> VerbsLink::Register(std::span<std::byte> memory, Access access) {
  if (!domain_) return MakeFailure(FailureKind::kSetup, "register memory: not connected");
  const int flags = FlagsOf(access, is_iwarp());
  MemoryRegion region(
      (ibv_reg_mr)(domain_.get(), memory.data(), memory.size(), flags));  // the function, not the macro
  if (!region) {
    const int error = errno;
    return MakeFailure(
        FailureKind::kSetup,
        fmt::format(
            "{} (memlock limit {})",
            FailureOf(ErrnoFailure(FailureKind::kSetup, error, "register " + BytesText(memory.size()))).detail,
            MemlockText()));
  }
  memory_.push_back(std::move(region));
  return MemoryId{.index = static_cast<std::uint32_t>(memory_.size() - 1)};
}

void VerbsLink::Unregister(MemoryId memory) {
  for (Window& each : windows_) {
    if (each.memory.index == memory.index) each = {};
  }
  if (memory.index < memory_.size()) memory_[memory.index].reset();
}

RemoteMemory VerbsLink::Remote(MemoryId memory) const {
  const ibv_mr& region = *memory_[memory.index];
  // Verbs address memory by the process's own addresses.
  return {.address = reinterpret_cast<std::uintptr_t>(region.addr),
          .length_bytes = region.length,
          .rkey = region.rkey};
}

void VerbsLink::Disconnect() {
  if (!connected_) return;
  described_ = Describe();
  connected_ = false;
  // Also flushes what is still posted. Fails only when the connection is gone already.
  if (Stop(queue_pair_.get()) == 0 && id_) static_cast<void>(id_.Disconnect());
}

LinkFacts VerbsLink::Describe() const {
  if (!connected_) return described_;
  const bool iwarp = is_iwarp();  // which addresses by IP alone
  return {.local_gid = iwarp ? std::string() : GidText(route_.local_gid),
          .remote_gid = iwarp ? std::string() : GidText(route_.remote_gid),
          .transport = TransportOf(context_.get(), route_.port_number, queue_pair_.get()),
          .marking = iwarp ? Marking{} : MarkingOf(queue_pair_.get()),
          .read_depth = ReadDepthOf(queue_pair_.get()),
          .path_mtu_bytes = iwarp ? std::nullopt : PathMtuOf(queue_pair_.get())};
}

bool VerbsLink::is_iwarp() const { return context_ && context_->device->transport_type == IBV_TRANSPORT_IWARP; }

}  // namespace rdmaready
