// SPDX-License-Identifier: Apache-2.0
// One question to the kernel over netlink, and its whole answer.
#include "collectors/questions/netlink.h"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

constexpr int kNetlinkAttempts = 4;            // of an interrupted dump
constexpr timeval kNetlinkAnswerWithin{5, 0};  // the kernel answers at once; this only bounds a wait gone wrong

struct Received {
  std::vector<NetlinkMessage> messages{};
  bool done = false;
  bool interrupted = false;
  int error_number = 0;
};

// The object of an error text: which question it was.
std::string Name(const NetlinkRequest& request) {
  const std::string verb = request.dump ? "list by " : "ask ";
  if (request.protocol == NETLINK_RDMA) {
    return fmt::format("{}RDMA netlink command {}", verb, RDMA_NL_GET_OP(request.type));
  }
  if (request.protocol == NETLINK_NETFILTER && NFNL_SUBSYS_ID(request.type) == NFNL_SUBSYS_NFTABLES) {
    return fmt::format("{}nf_tables netlink command {}", verb, NFNL_MSG_TYPE(request.type));
  }
  if (request.protocol != NETLINK_ROUTE) return fmt::format("{}netlink protocol {}", verb, request.protocol);
  switch (request.type) {
    case RTM_GETLINK:
      return verb + "rtnetlink GETLINK";
    case RTM_GETADDR:
      return verb + "rtnetlink GETADDR";
    case RTM_GETROUTE:
      return verb + "rtnetlink GETROUTE";
    case RTM_GETRULE:
      return verb + "rtnetlink GETRULE";
    case RTM_GETNEIGH:
      return verb + "rtnetlink GETNEIGH";
    case RTM_GETQDISC:
      return verb + "rtnetlink GETQDISC";
    case RTM_GETDCB:
      return verb + "dcbnl";
    default:
      return fmt::format("{}rtnetlink type {}", verb, request.type);
  }
}

int OnMessage(nl_msg* message, void* context) {
  if (nlmsg_get_src(message)->nl_pid != 0) return NL_SKIP;  // not from the kernel
  const nlmsghdr* header = nlmsg_hdr(message);
  NetlinkMessage one{header->nlmsg_type, {}};
  one.payload.resize(static_cast<std::size_t>(nlmsg_datalen(header)));
  if (!one.payload.empty()) std::memcpy(one.payload.data(), nlmsg_data(header), one.payload.size());
  static_cast<Received*>(context)->messages.push_back(std::move(one));
  return NL_OK;
}

int OnAck(nl_msg*, void* context) {
  static_cast<Received*>(context)->done = true;
  return NL_STOP;
}

// The end of a dump carries its error, which libnl does not look at.
int OnFinish(nl_msg* message, void* context) {
  Received& answer = *static_cast<Received*>(context);
  const nlmsghdr* header = nlmsg_hdr(message);
  int result = 0;
  if (nlmsg_datalen(header) >= static_cast<int>(sizeof(result))) {
    std::memcpy(&result, nlmsg_data(header), sizeof(result));
  }
  if (result < 0) answer.error_number = -result;
  answer.done = true;
  return NL_STOP;
}

int OnInterrupted(nl_msg*, void* context) {
  static_cast<Received*>(context)->interrupted = true;
  return NL_OK;
}

// libnl folds errno into fewer codes of its own; here it is still whole.
int OnError(sockaddr_nl*, nlmsgerr* error, void* context) {
  Received& answer = *static_cast<Received*>(context);
  answer.error_number = error->error < 0 ? -error->error : EPROTO;
  answer.done = true;
  return NL_STOP;
}

using Socket = Handle<nl_sock, nl_socket_free>;
using Callbacks = Handle<nl_cb, nl_cb_put>;
using MessageHandle = Handle<nl_msg, nlmsg_free>;

absl::Status Send(nl_sock* socket, const NetlinkRequest& request) {
  const MessageHandle message(nlmsg_alloc_simple(request.type, request.dump ? NLM_F_DUMP : NLM_F_ACK));
  if (!message) return ErrnoStatus(ENOMEM, Name(request));
  std::vector<std::byte> payload = request.payload;  // nlmsg_append takes a mutable pointer
  if (nlmsg_append(message.get(), payload.data(), payload.size(), 0) < 0) {
    return ErrnoStatus(EMSGSIZE, Name(request));
  }
  nl_complete_msg(socket, message.get());
  // A dump needs no acknowledgement, which nl_complete_msg asks for.
  if (request.dump) {
    nlmsg_hdr(message.get())->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_DUMP);
  }
  errno = 0;
  if (nl_send(socket, message.get()) < 0) return ErrnoStatus(errno != 0 ? errno : EIO, Name(request));
  return absl::OkStatus();
}

absl::Status Receive(nl_sock* socket, const NetlinkRequest& request, Received& answer) {
  const Callbacks callbacks(nl_cb_alloc(NL_CB_DEFAULT));
  if (!callbacks) return ErrnoStatus(ENOMEM, Name(request));
  nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, OnMessage, &answer);
  nl_cb_set(callbacks.get(), NL_CB_ACK, NL_CB_CUSTOM, OnAck, &answer);
  nl_cb_set(callbacks.get(), NL_CB_FINISH, NL_CB_CUSTOM, OnFinish, &answer);
  nl_cb_set(callbacks.get(), NL_CB_DUMP_INTR, NL_CB_CUSTOM, OnInterrupted, &answer);
  nl_cb_err(callbacks.get(), NL_CB_CUSTOM, OnError, &answer);
  while (!answer.done) {
    const int result = nl_recvmsgs(socket, callbacks.get());
    if (result == -NLE_DUMP_INTR) answer.interrupted = true;
    if (result >= 0 || answer.done || answer.interrupted) {
      if (answer.interrupted) return absl::OkStatus();
      continue;
    }
    if (result == -NLE_AGAIN) return ErrnoStatus(ETIMEDOUT, Name(request));
    return absl::UnknownError(Name(request) + ": " + nl_geterror(result));
  }
  if (answer.error_number != 0) return ErrnoStatus(answer.error_number, Name(request));
  return absl::OkStatus();
}

absl::StatusOr<Received> AskOnce(const NetlinkRequest& request) {
  const Socket socket(nl_socket_alloc());
  if (!socket) return ErrnoStatus(ENOMEM, Name(request));
  errno = 0;
  if (nl_connect(socket.get(), request.protocol) < 0) {
    return ErrnoStatus(errno != 0 ? errno : EIO, "open netlink socket to " + Name(request));
  }
  nl_socket_enable_msg_peek(socket.get());  // an answer of any size
  if (::setsockopt(nl_socket_get_fd(socket.get()), SOL_SOCKET, SO_RCVTIMEO, &kNetlinkAnswerWithin,
                   sizeof(kNetlinkAnswerWithin)) != 0) {
    return ErrnoStatus(errno, "set the timeout of the socket to " + Name(request));
  }
  RR_RETURN_IF_ERROR(Send(socket.get(), request));
  Received answer;
  RR_RETURN_IF_ERROR(Receive(socket.get(), request, answer));
  return answer;
}

}  // namespace

// Opens a socket of its own for each attempt, so that no left-over message of another question can be mistaken
// for this answer. A dump that the kernel marks as interrupted (objects changed meanwhile) is asked again.
absl::StatusOr<std::vector<NetlinkMessage>> NetlinkRequest::AskThisHost() const {
  if (protocol == NETLINK_RDMA) RR_RETURN_IF_ERROR(RequireClass("/sys/class/infiniband", "ib_core"));
  for (int attempt = 0; attempt < kNetlinkAttempts; ++attempt) {
    RR_ASSIGN_OR_RETURN(Received answer, AskOnce(*this));
    if (!answer.interrupted) return std::move(answer.messages);
  }
  return ErrnoStatus(EINTR, Name(*this));
}

}  // namespace rdmaready
