// SPDX-License-Identifier: Apache-2.0
// The kernel's RDMA connection manager, by its own interface (rdma/rdma_user_cm.h): what librdmacm is to other
// programs, but for one thing. librdmacm opens a device when the first id is bound to it and closes it when the
// process ends. A device whose driver cannot take the contexts of its users away (of Linux 6.12: rxe, siw,
// cxgb4, efa, qedr and others) cannot be removed as long: the administrator's `rdma link del`, or bonding that
// takes its netdev, would wait in the kernel for an agent that does nothing. Here nothing outlives its owner.
//
// Functions that return an int return 0 or an errno. One thread at a time for a channel and its ids.
#pragma once

#include <infiniband/verbs.h>
#include <netinet/in.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

using DeviceContext = Handle<ibv_context, ibv_close_device>;

// As the kernel numbers them; others may come and say nothing here.
enum class CmEventType : std::uint32_t {
  kAddressResolved = 0,
  kAddressError = 1,
  kRouteResolved = 2,
  kRouteError = 3,
  kConnectRequest = 4,
  kConnectResponse = 5,  // the peer accepted, and waits for Accept of this end
  kConnectError = 6,
  kUnreachable = 7,
  kRejected = 8,
  kEstablished = 9,
  kDisconnected = 10,
  kDeviceRemoval = 11,
  kAddressChange = 14,
  kTimewaitExit = 15,
};

// "connection error": for messages.
const char* CmEventText(CmEventType type);

struct CmEvent {
  CmEventType type = CmEventType::kAddressResolved;
  int status = 0;                 // negative errno, or a reject reason
  std::uint32_t id = 0;           // of a connect request: new, to be owned by who takes the event
  std::size_t private_bytes = 0;  // of a request, an answer or a refusal; never more than the array
  std::array<std::uint8_t, 256> private_data{};
  // Of a request or an answer, from the point of view of the end that the device's manager tells them.
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
};

// What an id is bound to. Without a device: node_guid 0.
struct CmRoute {
  std::uint64_t node_guid = 0;  // in network order
  int device_index = -1;        // the kernel's; -1: it does not tell
  std::uint8_t port_number = 0;
  ibv_gid local_gid{};
  ibv_gid remote_gid{};
  sockaddr_in6 local{};  // or a sockaddr_in, as its family says
  sockaddr_in6 remote{};
};

struct CmParameters {
  std::uint32_t queue_pair = 0;
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  std::uint8_t retries = 0;
  std::uint8_t receiver_not_ready_retries = 0;
  std::span<const std::uint8_t> private_data{};  // at most 255 bytes
};

// One end of a connection, or a listener. Its channel outlives it.
class CmId {
 public:
  CmId() = default;
  CmId(int channel_fd, std::uint32_t handle) : channel_fd_(channel_fd), handle_(handle) {}
  CmId(CmId&& other) noexcept;
  CmId& operator=(CmId&& other) noexcept;
  ~CmId() { reset(); }

  void reset();  // what was not told of it yet is not told any more
  explicit operator bool() const { return channel_fd_ >= 0; }
  std::uint32_t handle() const { return handle_; }

  int Bind(const sockaddr_storage& address);
  int Listen(int backlog);
  int ResolveAddress(const sockaddr_storage* from, const sockaddr_storage& to, int timeout_ms);
  int ResolveRoute(int timeout_ms);
  int Connect(const CmParameters& parameters);
  int Accept(const CmParameters& parameters);  // of a request
  int Accept();                                // of a response
  int Reject();
  int Disconnect();
  int SetTos(std::uint8_t tos);
  int SetAckTimeout(std::uint8_t timeout);  // 4.096 us * 2^timeout

  int Query(CmRoute& route) const;
  // What the connection asks of a queue pair on its way to `state`; `mask` as ibv_modify_qp has it.
  int QueuePairAttributes(ibv_qp_state state, ibv_qp_attr& attributes, int& mask) const;

 private:
  int channel_fd_ = -1;
  std::uint32_t handle_ = 0;
};

// Where ids live and their events come in.
class CmChannel {
 public:
  int Open();  // non-blocking
  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }  // readable when there is an event

  int CreateId(CmId& id) const;
  // A connect request: its id, which somebody has to own.
  CmId Own(const CmEvent& request) const { return {fd_.get(), request.id}; }
  // The next event if there is one; NotFound when there is none.
  absl::StatusOr<CmEvent> Take() const;

 private:
  UniqueFd fd_{};
};

// The device that a route leads through; nothing when it is gone or not to be opened, errno says why.
DeviceContext OpenDevice(const CmRoute& route);

}  // namespace rdmaready
