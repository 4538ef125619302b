// SPDX-License-Identifier: Apache-2.0
// VerbsLink: memory windows of type 2, which the peer's sends take away.
#include <cerrno>
#include <utility>

#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<WindowId> VerbsLink::MakeWindow(MemoryId memory) {
  if (memory.index >= memory_.size() || !memory_[memory.index]) {
    return MakeFailure(FailureKind::kSetup, "make a memory window: on memory that is not registered");
  }
  if (!can_invalidate_) {
    return MakeFailure(FailureKind::kSetup, "make a memory window: the RDMA device has none of type 2");
  }
  MemoryWindow window(ibv_alloc_mw(domain_.get(), IBV_MW_TYPE_2));
  if (!window) return ErrnoFailure(FailureKind::kSetup, errno, "make a memory window");
  windows_.push_back({.window = std::move(window), .memory = memory});
  return WindowId{.index = static_cast<std::uint32_t>(windows_.size() - 1)};
}

// Not signaled: it fails the connection, or what is posted behind it tells for it.
absl::StatusOr<RemoteMemory> VerbsLink::Bind(WindowId window, std::uint64_t offset, std::uint32_t length) {
  if (window.index >= windows_.size() || !windows_[window.index].window || windows_[window.index].bound) {
    return MakeFailure(FailureKind::kSetup, "bind a memory window: it is bound already, or none");
  }
  Window& bound = windows_[window.index];
  RR_ASSIGN_OR_RETURN(const ibv_sge part,
                      Element({.memory = bound.memory, .offset = offset, .length = length}));
  ibv_send_wr request{};
  request.wr_id = Tagged(Work::kBind, window.index);
  request.opcode = IBV_WR_BIND_MW;
  request.bind_mw.mw = bound.window.get();
  request.bind_mw.rkey = ibv_inc_rkey(bound.window->rkey);
  request.bind_mw.bind_info = {.mr = memory_[bound.memory.index].get(),
                               .addr = part.addr,
                               .length = length,
                               .mw_access_flags = IBV_ACCESS_REMOTE_WRITE};
  ibv_send_wr* rejected = nullptr;
  if (const int error = ibv_post_send(queue_pair_.get(), &request, &rejected); error != 0) {
    return ErrnoFailure(FailureKind::kCompletion, error, "bind a memory window");
  }
  bound.window->rkey = request.bind_mw.rkey;  // which is left to the user of a window of this type
  bound.bound = true;
  return RemoteMemory{.address = part.addr, .length_bytes = length, .rkey = bound.window->rkey};
}

// By the key, not by the completion's flags: the soft RoCE device passes the kernel's value of the flag, which
// verbs has for something else.
std::optional<std::uint32_t> VerbsLink::TakenAway(const ibv_wc& completion) {
  const bool immediate = (completion.wc_flags & IBV_WC_WITH_IMM) != 0;  // it shares its place with the key
  if (windows_.empty() || immediate) return std::nullopt;
  for (Window& each : windows_) {
    if (!each.bound || each.window->rkey != completion.invalidated_rkey) continue;
    each.bound = false;
    return completion.invalidated_rkey;
  }
  return std::nullopt;
}

}  // namespace rdmaready
