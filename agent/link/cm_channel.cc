// SPDX-License-Identifier: Apache-2.0
#include "agent/link/cm_channel.h"

#include <fcntl.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/link/failure.h"
#include "agent/link/load_module.h"

namespace rdmaready {
namespace {

constexpr char kDevice[] = "/dev/infiniband/rdma_cm";
// The kernel tells events of an id only while its word from user space is not 0. Ids are told apart by
// their handles.
constexpr std::uint64_t kWord = 1;

std::uint64_t Pointer(void* to) { return reinterpret_cast<std::uintptr_t>(to); }

// One command to the kernel; 0 or an errno.
template <class Command>
int Send(int fd, unsigned verb, const Command& command, std::size_t answer_bytes = 0) {
  struct {
    rdma_ucm_cmd_hdr header;
    Command command;
  } const message{{verb, sizeof command, static_cast<std::uint16_t>(answer_bytes)}, command};
  return ::write(fd, &message, sizeof message) < 0 ? errno : 0;
}

// An answer is where the command says.
template <class Command, class Answer>
int Ask(int fd, unsigned verb, Command command, Answer& answer) {
  command.response = Pointer(&answer);
  return Send(fd, verb, command, sizeof answer);
}

// An Internet address: both families fit.
void CopyAddress(sockaddr_in6& to, const sockaddr_storage& from) { std::memcpy(&to, &from, sizeof to); }

rdma_ucm_conn_param Kernels(const CmParameters& parameters) {
  rdma_ucm_conn_param to{};
  to.qp_num = parameters.queue_pair;
  const std::size_t bytes = std::min<std::size_t>(parameters.private_data.size(), 255);
  std::copy_n(parameters.private_data.begin(), bytes, to.private_data);
  to.private_data_len = static_cast<std::uint8_t>(bytes);
  to.responder_resources = parameters.responder_resources;
  to.initiator_depth = parameters.initiator_depth;
  to.retry_count = parameters.retries;
  to.rnr_retry_count = parameters.receiver_not_ready_retries;
  to.valid = 1;
  return to;
}

ibv_ah_attr PathOf(const ib_uverbs_ah_attr& from) {
  ibv_ah_attr to{};
  std::memcpy(to.grh.dgid.raw, from.grh.dgid, sizeof to.grh.dgid.raw);
  to.grh.flow_label = from.grh.flow_label;
  to.grh.sgid_index = from.grh.sgid_index;
  to.grh.hop_limit = from.grh.hop_limit;
  to.grh.traffic_class = from.grh.traffic_class;
  to.dlid = from.dlid;
  to.sl = from.sl;
  to.src_path_bits = from.src_path_bits;
  to.static_rate = from.static_rate;
  to.is_global = from.is_global;
  to.port_num = from.port_num;
  return to;
}

// All that the connection manager ever asks for.
ibv_qp_attr AttributesOf(const ib_uverbs_qp_attr& from) {
  ibv_qp_attr to{};
  to.qp_state = static_cast<ibv_qp_state>(from.qp_state);
  to.cur_qp_state = static_cast<ibv_qp_state>(from.cur_qp_state);
  to.path_mtu = static_cast<ibv_mtu>(from.path_mtu);
  to.path_mig_state = static_cast<ibv_mig_state>(from.path_mig_state);
  to.qkey = from.qkey;
  to.rq_psn = from.rq_psn;
  to.sq_psn = from.sq_psn;
  to.dest_qp_num = from.dest_qp_num;
  to.qp_access_flags = from.qp_access_flags;
  to.ah_attr = PathOf(from.ah_attr);
  to.alt_ah_attr = PathOf(from.alt_ah_attr);
  to.pkey_index = from.pkey_index;
  to.alt_pkey_index = from.alt_pkey_index;
  to.max_rd_atomic = from.max_rd_atomic;
  to.max_dest_rd_atomic = from.max_dest_rd_atomic;
  to.min_rnr_timer = from.min_rnr_timer;
  to.port_num = from.port_num;
  to.timeout = from.timeout;
  to.retry_cnt = from.retry_cnt;
  to.rnr_retry = from.rnr_retry;
  to.alt_port_num = from.alt_port_num;
  to.alt_timeout = from.alt_timeout;
  return to;
}

bool TellsOfConnection(CmEventType type) {
  return type == CmEventType::kConnectRequest || type == CmEventType::kConnectResponse ||
         type == CmEventType::kEstablished || type == CmEventType::kRejected;
}

CmEvent Ours(const rdma_ucm_event_resp& from) {
  CmEvent event{
      .type = static_cast<CmEventType>(from.event), .status = static_cast<int>(from.status), .id = from.id};
  if (!TellsOfConnection(event.type)) return event;
  const rdma_ucm_conn_param& connection = from.param.conn;
  event.responder_resources = connection.responder_resources;
  event.initiator_depth = connection.initiator_depth;
  event.private_bytes = std::min<std::size_t>(connection.private_data_len, event.private_data.size());
  std::memcpy(event.private_data.data(), connection.private_data, event.private_bytes);
  return event;
}

int SetOption(int fd, std::uint32_t handle, std::uint32_t name, std::uint8_t value) {
  rdma_ucm_set_option command{};
  command.optval = Pointer(&value);
  command.id = handle;
  command.level = RDMA_OPTION_ID;
  command.optname = name;
  command.optlen = sizeof value;
  return Send(fd, RDMA_USER_CM_CMD_SET_OPTION, command);
}

}  // namespace

const char* CmEventText(CmEventType type) {
  switch (type) {
    case CmEventType::kAddressResolved:
      return "address resolved";
    case CmEventType::kAddressError:
      return "address error";
    case CmEventType::kRouteResolved:
      return "route resolved";
    case CmEventType::kRouteError:
      return "route error";
    case CmEventType::kConnectRequest:
      return "connection request";
    case CmEventType::kConnectResponse:
      return "connection answer";
    case CmEventType::kConnectError:
      return "connection error";
    case CmEventType::kUnreachable:
      return "unreachable";
    case CmEventType::kRejected:
      return "rejected";
    case CmEventType::kEstablished:
      return "established";
    case CmEventType::kDisconnected:
      return "disconnected";
    case CmEventType::kDeviceRemoval:
      return "device removed";
    case CmEventType::kAddressChange:
      return "address changed";
    case CmEventType::kTimewaitExit:
      return "connection over";
  }
  return "unknown event";
}

CmId::CmId(CmId&& other) noexcept
    : channel_fd_(std::exchange(other.channel_fd_, -1)), handle_(std::exchange(other.handle_, 0)) {}

CmId& CmId::operator=(CmId&& other) noexcept {
  if (this != &other) {
    reset();
    channel_fd_ = std::exchange(other.channel_fd_, -1);
    handle_ = std::exchange(other.handle_, 0);
  }
  return *this;
}

// Fails only when the kernel ended the id already, with its device.
void CmId::reset() {
  if (channel_fd_ < 0) return;
  rdma_ucm_destroy_id command{};
  command.id = handle_;
  rdma_ucm_destroy_id_resp answer{};
  static_cast<void>(Ask(channel_fd_, RDMA_USER_CM_CMD_DESTROY_ID, command, answer));
  channel_fd_ = -1;
}

int CmId::Bind(const sockaddr_storage& address) {
  rdma_ucm_bind_ip command{};
  CopyAddress(command.addr, address);
  command.id = handle_;
  return Send(channel_fd_, RDMA_USER_CM_CMD_BIND_IP, command);
}

int CmId::Listen(int backlog) {
  return Send(channel_fd_, RDMA_USER_CM_CMD_LISTEN,
              rdma_ucm_listen{.id = handle_, .backlog = static_cast<std::uint32_t>(backlog)});
}

int CmId::ResolveAddress(const sockaddr_storage* from, const sockaddr_storage& to, int timeout_ms) {
  rdma_ucm_resolve_ip command{};
  if (from != nullptr) CopyAddress(command.src_addr, *from);
  CopyAddress(command.dst_addr, to);
  command.id = handle_;
  command.timeout_ms = static_cast<std::uint32_t>(timeout_ms);
  return Send(channel_fd_, RDMA_USER_CM_CMD_RESOLVE_IP, command);
}

int CmId::ResolveRoute(int timeout_ms) {
  return Send(channel_fd_, RDMA_USER_CM_CMD_RESOLVE_ROUTE,
              rdma_ucm_resolve_route{.id = handle_, .timeout_ms = static_cast<std::uint32_t>(timeout_ms)});
}

int CmId::Connect(const CmParameters& parameters) {
  rdma_ucm_connect command{};
  command.conn_param = Kernels(parameters);
  command.id = handle_;
  return Send(channel_fd_, RDMA_USER_CM_CMD_CONNECT, command);
}

int CmId::Accept(const CmParameters& parameters) {
  rdma_ucm_accept command{};
  command.uid = kWord;
  command.conn_param = Kernels(parameters);
  command.id = handle_;
  return Send(channel_fd_, RDMA_USER_CM_CMD_ACCEPT, command);
}

int CmId::Accept() {
  rdma_ucm_accept command{};
  command.id = handle_;
  return Send(channel_fd_, RDMA_USER_CM_CMD_ACCEPT, command);
}

int CmId::Reject() {
  rdma_ucm_reject command{};
  command.id = handle_;
  return Send(channel_fd_, RDMA_USER_CM_CMD_REJECT, command);
}

int CmId::Disconnect() {
  return Send(channel_fd_, RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{.id = handle_});
}

int CmId::SetTos(std::uint8_t tos) { return SetOption(channel_fd_, handle_, RDMA_OPTION_ID_TOS, tos); }

int CmId::SetAckTimeout(std::uint8_t timeout) {
  return SetOption(channel_fd_, handle_, RDMA_OPTION_ID_ACK_TIMEOUT, timeout);
}

int CmId::Query(CmRoute& route) const {
  rdma_ucm_query_route_resp answer{};
  answer.ibdev_index = static_cast<std::uint32_t>(-1);  // left as it is by a kernel that does not know it
  rdma_ucm_query command{};
  command.id = handle_;
  if (const int error = Ask(channel_fd_, RDMA_USER_CM_CMD_QUERY_ROUTE, command, answer); error != 0) {
    return error;
  }
  route.node_guid = answer.node_guid;
  route.device_index = static_cast<int>(answer.ibdev_index);
  route.port_number = answer.port_num;
  std::memcpy(route.local_gid.raw, answer.ib_route[0].sgid, sizeof route.local_gid.raw);
  std::memcpy(route.remote_gid.raw, answer.ib_route[0].dgid, sizeof route.remote_gid.raw);
  route.local = answer.src_addr;
  route.remote = answer.dst_addr;
  return 0;
}

int CmId::QueuePairAttributes(ibv_qp_state state, ibv_qp_attr& attributes, int& mask) const {
  rdma_ucm_init_qp_attr command{};
  command.id = handle_;
  command.qp_state = state;
  ib_uverbs_qp_attr answer{};
  if (const int error = Ask(channel_fd_, RDMA_USER_CM_CMD_INIT_QP_ATTR, command, answer); error != 0) {
    return error;
  }
  attributes = AttributesOf(answer);
  mask = static_cast<int>(answer.qp_attr_mask);
  return 0;
}

int CmChannel::Open() {
  int fd = ::open(kDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    AskForRdmaClient("rdma_cm");
    fd = ::open(kDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  if (fd < 0) return errno;
  fd_ = UniqueFd(fd);
  return 0;
}

int CmChannel::CreateId(CmId& id) const {
  rdma_ucm_create_id command{};
  command.uid = kWord;
  command.ps = RDMA_PS_TCP;
  command.qp_type = IBV_QPT_RC;
  rdma_ucm_create_id_resp answer{};
  if (const int error = Ask(fd_.get(), RDMA_USER_CM_CMD_CREATE_ID, command, answer); error != 0) return error;
  id = CmId(fd_.get(), answer.id);
  return 0;
}

absl::StatusOr<CmEvent> CmChannel::Take() const {
  rdma_ucm_event_resp answer{};
  const int error = Ask(fd_.get(), RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{}, answer);
  if (error == 0) return Ours(answer);
  if (error == EAGAIN || error == EINTR) return absl::NotFoundError("no connection event");
  return ErrnoFailure(FailureKind::kSetup, error, "get a connection event");
}

DeviceContext OpenDevice(const CmRoute& route) {
  using DeviceList = Handle<ibv_device*, ibv_free_device_list>;
  const DeviceList devices(ibv_get_device_list(nullptr));
  if (!devices) return nullptr;
  for (ibv_device** device = devices.get(); *device != nullptr; ++device) {
    const int index = ibv_get_device_index(*device);
    const bool same_index = index < 0 || route.device_index < 0 || index == route.device_index;
    if (same_index && ibv_get_device_guid(*device) == route.node_guid) {
      return DeviceContext(ibv_open_device(*device));
    }
  }
  errno = ENODEV;
  return nullptr;
}

}  // namespace rdmaready
