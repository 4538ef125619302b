// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/link/memory_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Role Other(Role role) { return role == Role::kInitiator ? Role::kResponder : Role::kInitiator; }

}  // namespace

std::size_t MemoryFabric::Registered() {
  const std::lock_guard lock(mutex);
  std::size_t count = 0;
  for (const End& each : ends) {
    count += static_cast<std::size_t>(std::ranges::count(each.regions, true, &Region::registered));
  }
  return count;
}

std::uint64_t MemoryFabric::Posted(Role role, Work work) {
  const std::lock_guard lock(mutex);
  return end(role).posted[static_cast<std::size_t>(work)];
}

std::uint64_t MemoryFabric::Signaled(Role role) {
  const std::lock_guard lock(mutex);
  return end(role).signaled;
}

void MemoryFabric::Break(const absl::Status& status) {
  for (End& each : ends) {
    if (each.broken.ok()) each.broken = status;
  }
  changed.notify_all();
}

absl::Status MemoryLink::Await(std::unique_lock<std::mutex>& lock, const Patience& patience,
                               const std::function<bool()>& ready) {
  while (!ready()) {
    if (steady_clock::now() >= patience.deadline) return absl::DeadlineExceededError("late");
    lock.unlock();
    const absl::Status status = patience.interrupted ? patience.interrupted() : absl::OkStatus();
    lock.lock();
    RR_RETURN_IF_ERROR(status);
    fabric_.changed.wait_until(lock, steady_clock::now() + milliseconds(5));
  }
  return absl::OkStatus();
}

absl::Status MemoryLink::BeforeConnected(std::unique_lock<std::mutex>& lock) {
  const std::function<absl::Status()> hook = fabric_.end(role_).settings.before_connected;
  lock.unlock();
  const absl::Status status = hook ? hook() : absl::OkStatus();
  lock.lock();
  return status;
}

absl::StatusOr<Endpoint> MemoryLink::Listen(const std::string& local_address, const LinkSettings& settings) {
  const std::lock_guard lock(fabric_.mutex);
  fabric_.listening = true;
  fabric_.end(role_).settings = settings;
  if (settings.connection == ConnectionKind::kVerbs)
    return Endpoint{.address = local_address, .queue_pair = QueuePair()};
  return Endpoint{.address = local_address, .port = 4711};
}

QueuePairEnd MemoryLink::QueuePair() const {
  const bool initiator = role_ == Role::kInitiator;
  return {.gid = initiator ? "::ffff:10.0.0.1" : "::ffff:10.0.0.2",
          .number = initiator ? 17U : 18U,
          .psn = initiator ? 0U : 0xffffffU,
          .path_mtu_bytes = fabric_.path_mtu_bytes.at(static_cast<std::size_t>(role_)),
          .reads = 8};
}

absl::Status MemoryLink::Accept(const Nonce& nonce, const Patience& patience) {
  const LinkSettings& settings = fabric_.end(role_).settings;
  if (settings.connection == ConnectionKind::kVerbs) {
    RR_ASSIGN_OR_RETURN(const QueuePairEnd peer, settings.introduction.await());
    if (peer.number != 17) return MakeFailure(FailureKind::kSetup, "no such queue pair");
    RR_RETURN_IF_ERROR(settings.introduction.ready());
  }
  return AcceptIf(
      [&nonce](const Handshake& request) -> absl::StatusOr<std::vector<std::uint8_t>> {
        if (!std::ranges::equal(request.private_data, nonce))
          return absl::PermissionDeniedError("not the nonce");
        return std::vector<std::uint8_t>();
      },
      patience);
}

absl::Status MemoryLink::AcceptAnyone(const Greeter& greet, const Patience& patience) {
  return AcceptIf(greet, patience);
}

absl::Status MemoryLink::AcceptIf(const Greeter& admit, const Patience& patience) {
  std::unique_lock lock(fabric_.mutex);
  fabric_.rejected += fabric_.impostors;
  while (true) {
    const absl::Status status = Await(lock, patience, [&] { return fabric_.request && !fabric_.answer; });
    if (!status.ok()) {
      if (fabric_.rejected > 0)
        return MakeFailure(FailureKind::kRejected, fmt::format("{} rejected", fabric_.rejected));
      if (absl::IsDeadlineExceeded(status))
        return MakeFailure(FailureKind::kUnreachable, "nobody connected in time");
      return status;
    }
    handshake_ = {.private_data = *fabric_.request, .responder_resources = 8, .initiator_depth = 8};
    const absl::StatusOr<std::vector<std::uint8_t>> answer = admit(handshake_);
    const bool right = answer.ok();
    if (right) fabric_.answer_data = *answer;
    if (right) RR_RETURN_IF_ERROR(BeforeConnected(lock));
    fabric_.answer = right;
    fabric_.changed.notify_all();
    if (right) break;
    ++fabric_.rejected;
  }
  connected_ = true;
  return absl::OkStatus();
}

absl::Status MemoryLink::Connect(const Endpoint& endpoint, PrivateData private_data, const std::string&,
                                 const LinkSettings& settings, const Patience& patience) {
  if (settings.connection == ConnectionKind::kVerbs) {
    if (endpoint.queue_pair.number != 18) return MakeFailure(FailureKind::kSetup, "no such queue pair");
    RR_RETURN_IF_ERROR(settings.introduction.join(QueuePair()));
  }
  std::unique_lock lock(fabric_.mutex);
  fabric_.end(role_).settings = settings;
  if (fabric_.refuses) {
    handshake_ = *fabric_.refuses;
    return MakeFailure(FailureKind::kRejected, "connect: rejected by the peer");
  }
  if (fabric_.unreachable) {
    handshake_.refusal = Refusal::kNoAnswer;
    return MakeFailure(FailureKind::kUnreachable, "connect to " + endpoint.address + ": no answer in time");
  }
  RR_RETURN_IF_ERROR(BeforeConnected(lock));
  fabric_.request.emplace(private_data.begin(), private_data.end());
  fabric_.changed.notify_all();
  const absl::Status status = Await(lock, patience, [&] { return fabric_.answer.has_value(); });
  if (absl::IsDeadlineExceeded(status))
    return MakeFailure(FailureKind::kUnreachable, "connect: no answer in time");
  RR_RETURN_IF_ERROR(status);
  if (!*fabric_.answer) {
    handshake_.refusal = Refusal::kConsumer;
    return MakeFailure(FailureKind::kRejected, "connect: rejected by the peer");
  }
  handshake_ = {.private_data = fabric_.answer_data,
                .responder_resources = std::min<std::uint32_t>(settings.responder_resources, 8),
                .initiator_depth = std::min<std::uint32_t>(settings.initiator_depth, 8)};
  const Patience wire{.deadline = steady_clock::now() + fabric_.slow_connect,
                      .interrupted = patience.interrupted};
  if (const absl::Status late = Await(lock, wire, [] { return false; }); !absl::IsDeadlineExceeded(late))
    return late;
  connected_ = true;
  return absl::OkStatus();
}

absl::StatusOr<MemoryId> MemoryLink::Register(std::span<std::byte> memory, Access access) {
  const std::lock_guard lock(fabric_.mutex);
  if (fabric_.cannot_register == role_)
    return MakeFailure(FailureKind::kSetup, "register memory: Cannot allocate memory");
  auto& regions = fabric_.end(role_).regions;
  regions.push_back({.bytes = memory, .access = access, .registered = true});
  return MemoryId{.index = static_cast<std::uint32_t>(regions.size() - 1)};
}

void MemoryLink::Unregister(MemoryId memory) {
  const std::lock_guard lock(fabric_.mutex);
  fabric_.end(role_).regions.at(memory.index).registered = false;
  for (MemoryFabric::Window& each : fabric_.end(role_).windows) {
    if (each.region == memory.index) each.bound = false;
  }
}

RemoteMemory MemoryLink::Remote(MemoryId memory) const {
  const std::lock_guard lock(fabric_.mutex);
  const auto bytes = fabric_.end(role_).regions.at(memory.index).bytes;
  return {.address = reinterpret_cast<std::uintptr_t>(bytes.data()),
          .length_bytes = bytes.size(),
          .rkey = memory.index};
}

// Keys of windows are above those of regions and, as a device's, an index and a byte that changes.
absl::StatusOr<WindowId> MemoryLink::MakeWindow(MemoryId memory) {
  if (!can_invalidate()) return MakeFailure(FailureKind::kSetup, "make a memory window: the device has none");
  const std::lock_guard lock(fabric_.mutex);
  MemoryFabric::End& end = fabric_.end(role_);
  const MemoryFabric::Region& region = end.regions.at(memory.index);
  if (!region.registered || region.access != Access::kWindowedWrite)
    return MakeFailure(FailureKind::kSetup, "make a memory window: on other memory");
  const auto index = static_cast<std::uint32_t>(end.windows.size());
  end.windows.push_back({.region = memory.index, .rkey = (0x1000 + index) << 8});
  return WindowId{.index = index};
}

absl::StatusOr<RemoteMemory> MemoryLink::Bind(WindowId window, std::uint64_t offset, std::uint32_t length) {
  const std::lock_guard lock(fabric_.mutex);
  MemoryFabric::Window& bound = fabric_.end(role_).windows.at(window.index);
  if (bound.bound) return MakeFailure(FailureKind::kSetup, "bind a memory window: it is bound already");
  const absl::StatusOr<std::span<std::byte>> bytes =
      Local({.memory = {static_cast<std::uint32_t>(bound.region)}, .offset = offset, .length = length});
  if (!bytes.ok()) return bytes.status();
  ++fabric_.end(role_).posted[static_cast<std::size_t>(Work::kBind)];
  bound = {.region = bound.region,
           .bytes = *bytes,
           .rkey = (bound.rkey & ~0xffu) | ((bound.rkey + 1) & 0xffu),
           .bound = true};
  return RemoteMemory{
      .address = reinterpret_cast<std::uintptr_t>(bytes->data()), .length_bytes = length, .rkey = bound.rkey};
}

absl::StatusOr<std::span<std::byte>> MemoryLink::Local(const Slice& slice) {
  const auto& regions = fabric_.end(role_).regions;
  if (slice.memory.index < regions.size()) {
    const MemoryFabric::Region& region = regions[slice.memory.index];
    if (region.registered && slice.offset <= region.bytes.size() &&
        slice.length <= region.bytes.size() - slice.offset) {
      return region.bytes.subspan(slice.offset, slice.length);
    }
  }
  return MakeFailure(FailureKind::kSetup, "posted outside of registered memory");
}

absl::Status MemoryLink::Post(std::span<const WorkRequest> requests) {
  const std::lock_guard lock(fabric_.mutex);
  for (const WorkRequest& request : requests) RR_RETURN_IF_ERROR(PostOne(request));
  fabric_.changed.notify_all();
  return absl::OkStatus();
}

absl::Status MemoryLink::PostOne(const WorkRequest& posted) {
  const absl::StatusOr<std::span<std::byte>> bytes = Local(posted.local);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<std::span<std::byte>> behind =
      posted.behind.length > 0 ? Local(posted.behind) : std::span<std::byte>();
  if (!behind.ok()) return behind.status();
  MemoryFabric::End& end = fabric_.end(role_);
  if (!behind->empty() && end.settings.gather < 2)
    return MakeFailure(FailureKind::kSetup, "a send of more parts than were asked for");
  if (end.outgoing.size() >= end.settings.sends)
    return MakeFailure(FailureKind::kSetup, "the send queue is full");
  const std::uint64_t number = end.posted[static_cast<std::size_t>(posted.work)]++;
  end.signaled += posted.signaled ? 1 : 0;
  MemoryFabric::Request request{.work = posted.work,
                                .id = posted.id,
                                .local = *bytes,
                                .behind = *behind,
                                .remote = posted.remote,
                                .invalidate = posted.invalidate,
                                .signaled = posted.signaled,
                                .ready_at = steady_clock::now()};
  for (const Fault& fault : fabric_.faults) {
    if (fault.from == role_ && fault.work == posted.work && fault.number == number) request.fault = &fault;
  }
  if (request.fault != nullptr) request.ready_at += request.fault->delay;
  if (fabric_.slow_reads > milliseconds::zero()) {
    if (posted.work == Work::kRead) request.ready_at += fabric_.slow_reads;
  } else if (!end.outgoing.empty()) {
    request.ready_at = std::max(request.ready_at, end.outgoing.back().ready_at);
  }
  end.outgoing.push_back(request);
  return absl::OkStatus();
}

absl::Status MemoryLink::PostReceive(std::uint64_t id, const Slice& to) {
  const std::lock_guard lock(fabric_.mutex);
  const absl::StatusOr<std::span<std::byte>> bytes = Local(to);
  if (!bytes.ok()) return bytes.status();
  fabric_.end(role_).receives.push_back({.id = id, .to = *bytes});
  fabric_.changed.notify_all();
  return absl::OkStatus();
}

std::optional<std::span<std::byte>> MemoryLink::RemoteBytes(Role owner, const MemoryFabric::Request& request) {
  const auto& regions = fabric_.end(owner).regions;
  MemoryFabric::Region region;
  if (const MemoryFabric::Window* window = BoundWindow(owner, request.remote.rkey)) {
    region = {.bytes = window->bytes, .access = Access::kRemoteWrite, .registered = true};
  } else if (request.remote.rkey < regions.size()) {
    region = regions[request.remote.rkey];
  } else {
    return std::nullopt;
  }
  const Access wanted = request.work == Work::kWrite ? Access::kRemoteWrite : Access::kRemoteRead;
  const std::uint64_t start = reinterpret_cast<std::uintptr_t>(region.bytes.data());
  const std::uint64_t offset = request.remote.address - start;
  if (!region.registered || region.access != wanted || request.remote.address < start ||
      offset > region.bytes.size() || request.local.size() > region.bytes.size() - offset) {
    return std::nullopt;
  }
  return region.bytes.subspan(offset, request.local.size());
}

MemoryFabric::Window* MemoryLink::BoundWindow(Role owner, std::uint32_t rkey) {
  auto& windows = fabric_.end(owner).windows;
  const auto found =
      std::ranges::find_if(windows, [rkey](const auto& each) { return each.bound && each.rkey == rkey; });
  return found == windows.end() ? nullptr : &*found;
}

void MemoryLink::Copy(std::span<const std::byte> from, std::span<std::byte> to, const Fault* fault) {
  std::size_t bytes = from.size();
  if (fault != nullptr && fault->kind == Fault::Kind::kTruncate) bytes = fault->offset;
  std::memcpy(to.data(), from.data(), bytes);
  if (fault != nullptr && fault->kind == Fault::Kind::kCorrupt) to[fault->offset] ^= std::byte{0x40};
}

bool MemoryLink::Deliver(Role from, const MemoryFabric::Request& request) {
  MemoryFabric::End& receiver = fabric_.end(Other(from));
  std::optional<std::uint32_t> invalidated;
  if (request.invalidate && !(request.fault != nullptr && request.fault->kind == Fault::Kind::kKeepWindow)) {
    MemoryFabric::Window* window = BoundWindow(Other(from), *request.invalidate);
    if (window == nullptr) {
      fabric_.Break(MakeFailure(FailureKind::kCompletion,
                                fmt::format("remote invalid request error (message {})", request.id)));
      return false;
    }
    window->bound = false;
    invalidated = request.invalidate;
  }
  const MemoryFabric::Receive receive = receiver.receives.front();
  receiver.receives.pop_front();
  std::vector<std::byte> message(request.local.begin(), request.local.end());
  message.insert(message.end(), request.behind.begin(), request.behind.end());
  Copy(std::span(message).first(std::min(message.size(), receive.to.size())), receive.to, request.fault);
  receiver.completions.push_back({.work = Work::kReceive,
                                  .id = receive.id,
                                  .bytes = static_cast<std::uint32_t>(message.size()),
                                  .invalidated = invalidated});
  return true;
}

// False when the request has to wait for a receive.
bool MemoryLink::Execute(Role from, const MemoryFabric::Request& request) {
  MemoryFabric::End& sender = fabric_.end(from);
  MemoryFabric::End& receiver = fabric_.end(Other(from));
  const Fault* fault = request.fault;
  const bool dropped = fault != nullptr && fault->kind == Fault::Kind::kDrop;
  if (fault != nullptr && fault->kind == Fault::Kind::kError) {
    sender.broken = MakeFailure(FailureKind::kCompletion,
                                fmt::format("transport retry counter exceeded (message {})", request.id));
    return true;
  }
  if (fault != nullptr && fault->kind == Fault::Kind::kDisconnect) {
    fabric_.Break(MakeFailure(FailureKind::kDisconnected, "the peer closed the connection"));
    return true;
  }
  if (request.work == Work::kSend && !dropped) {
    if (receiver.receives.empty()) {
      if (sender.settings.receiver_not_ready_retries > 0) return false;
      sender.broken = MakeFailure(FailureKind::kCompletion,
                                  fmt::format("RNR retry counter exceeded (message {})", request.id));
      return true;
    }
    if (!Deliver(from, request)) return true;
  } else if (request.work != Work::kSend) {
    const auto remote = RemoteBytes(Other(from), request);
    if (!remote) {
      sender.broken =
          MakeFailure(FailureKind::kCompletion, fmt::format("remote access error (message {})", request.id));
      return true;
    }
    if (!dropped && request.work == Work::kWrite) Copy(request.local, *remote, fault);
    if (!dropped && request.work == Work::kRead) Copy(*remote, request.local, fault);
  }
  if (request.signaled) sender.completions.push_back({.work = request.work, .id = request.id});
  if (fault != nullptr && fault->then) fault->then();
  return true;
}

void MemoryLink::Pump() {
  const TimePoint now = steady_clock::now();
  bool moved = false;
  for (const Role from : {Role::kInitiator, Role::kResponder}) {
    MemoryFabric::End& end = fabric_.end(from);
    for (auto next = end.outgoing.begin(); end.broken.ok() && next != end.outgoing.end();) {
      if (next->ready_at > now) {
        if (next->work != Work::kRead || fabric_.slow_reads == milliseconds::zero()) break;
        ++next;
      } else {
        if (!Execute(from, *next)) break;
        next = end.outgoing.erase(next);
        moved = true;
      }
    }
  }
  if (moved) fabric_.changed.notify_all();
}

absl::StatusOr<std::size_t> MemoryLink::Wait(std::span<Completion> completions, TimePoint deadline) {
  std::unique_lock lock(fabric_.mutex);
  MemoryFabric::End& end = fabric_.end(role_);
  while (true) {
    Pump();
    std::size_t count = 0;
    for (; count < completions.size() && !end.completions.empty(); ++count) {
      completions[count] = end.completions.front();
      end.completions.pop_front();
    }
    if (count > 0) return count;
    if (!end.broken.ok()) return end.broken;
    const TimePoint now = steady_clock::now();
    if (now >= deadline) return 0;
    fabric_.changed.wait_until(lock, std::min(deadline, now + milliseconds(5)));
  }
}

void MemoryLink::Disconnect() {
  const std::lock_guard lock(fabric_.mutex);
  if (connected_) fabric_.Break(MakeFailure(FailureKind::kDisconnected, "the peer closed the connection"));
}

LinkFacts MemoryLink::Describe() const {
  if (!connected_) return {};
  const bool initiator = role_ == Role::kInitiator;
  return {.local_gid = initiator ? "gid-i" : "gid-r",
          .remote_gid = initiator ? "gid-r" : "gid-i",
          .transport = "memory",
          .read_depth = 8,
          .path_mtu_bytes = fabric_.path_mtu_bytes.at(static_cast<std::size_t>(role_))};
}

}  // namespace rdmaready
