// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/holders.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"
#include "collectors/rdma/unlisted.h"

namespace rdmaready {
namespace {

using Decode = absl::StatusOr<std::vector<RdmaHolder>> (*)(std::span<const std::byte>, const RdmaDevice&);

absl::StatusOr<std::optional<std::uint32_t>> OptionalU32(const Attributes& entry, int type) {
  if (!entry.Find(type)) return std::nullopt;
  RR_ASSIGN_OR_RETURN(const std::uint32_t number, entry.U32(type));
  return number;
}

// The attributes that all kinds of entries have.
absl::StatusOr<RdmaHolder> DecodeOwned(const Attributes& entry) {
  RdmaHolder holder;
  RR_ASSIGN_OR_RETURN(const auto port, OptionalU32(entry, RDMA_NLDEV_ATTR_PORT_INDEX));
  holder.port = port.value_or(0);
  if (entry.Find(RDMA_NLDEV_ATTR_RES_KERN_NAME)) {
    RR_ASSIGN_OR_RETURN(holder.kernel_name, entry.Text(RDMA_NLDEV_ATTR_RES_KERN_NAME));
    return holder;
  }
  RR_ASSIGN_OR_RETURN(const auto thread, OptionalU32(entry, RDMA_NLDEV_ATTR_RES_PID));
  holder.thread = thread.value_or(0);
  return holder;
}

absl::StatusOr<RdmaHolder> DecodeQueuePair(const Attributes& entry) {
  RR_ASSIGN_OR_RETURN(RdmaHolder holder, DecodeOwned(entry));
  holder.object = RdmaHolder::Object::kQueuePair;
  RR_ASSIGN_OR_RETURN(holder.state, entry.U8(RDMA_NLDEV_ATTR_RES_STATE));
  RR_ASSIGN_OR_RETURN(holder.queue_pair, entry.U32(RDMA_NLDEV_ATTR_RES_LQPN));
  RR_ASSIGN_OR_RETURN(holder.type, entry.U8(RDMA_NLDEV_ATTR_RES_TYPE));
  return holder;
}

// The IP address in a struct sockaddr of the kernel; empty where it holds none (AF_IB).
std::string AddressIn(std::span<const std::byte> socket_address) {
  std::uint16_t family = 0;
  if (socket_address.size() < sizeof(family)) return "";
  std::memcpy(&family, socket_address.data(), sizeof(family));
  const std::size_t offset =
      family == AF_INET ? offsetof(::sockaddr_in, sin_addr) : offsetof(::sockaddr_in6, sin6_addr);
  const std::size_t size = family == AF_INET ? sizeof(::in_addr) : sizeof(::in6_addr);
  if ((family != AF_INET && family != AF_INET6) || socket_address.size() < offset + size) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, socket_address.data() + offset, text.data(), text.size()) == nullptr ? ""
                                                                                                  : text.data();
}

absl::StatusOr<RdmaHolder> DecodeConnection(const Attributes& entry) {
  RR_ASSIGN_OR_RETURN(RdmaHolder holder, DecodeOwned(entry));
  holder.object = RdmaHolder::Object::kConnection;
  RR_ASSIGN_OR_RETURN(holder.state, entry.U8(RDMA_NLDEV_ATTR_RES_STATE));
  RR_ASSIGN_OR_RETURN(const auto queue_pair, OptionalU32(entry, RDMA_NLDEV_ATTR_RES_LQPN));
  holder.queue_pair = queue_pair.value_or(0);
  if (const auto address = entry.Find(RDMA_NLDEV_ATTR_RES_DST_ADDR)) holder.remote = AddressIn(*address);
  return holder;
}

absl::StatusOr<RdmaHolder> DecodeDomain(const Attributes& entry) {
  RR_ASSIGN_OR_RETURN(RdmaHolder holder, DecodeOwned(entry));
  holder.object = RdmaHolder::Object::kDomain;
  return holder;
}

// `table` is the attribute that holds the entries.
absl::StatusOr<std::vector<RdmaHolder>> DecodeTable(std::span<const std::byte> payload,
                                                    const RdmaDevice& device, int table, const char* what,
                                                    absl::StatusOr<RdmaHolder> (*decode)(const Attributes&)) {
  RR_ASSIGN_OR_RETURN(const Attributes top, Attributes::Parse(payload, what));
  RR_ASSIGN_OR_RETURN(const std::uint32_t index, top.U32(RDMA_NLDEV_ATTR_DEV_INDEX));
  if (index != device.index) return Malformed(what, "the answer is about another device");
  std::vector<RdmaHolder> holders;
  const auto nest = top.Find(table);
  if (!nest) return holders;
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(*nest, what));
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes entry, Attributes::Parse(row.value, what));
    RR_ASSIGN_OR_RETURN(RdmaHolder holder, decode(entry));
    holders.push_back(std::move(holder));
  }
  return holders;
}

// Without driver details the kernel leaves out queue pairs of type IB_QPT_DRIVER, such as mlx5's DC
// (RESTRACK_DD in res_get_common_dumpit, nldev.c). Kernels that do not know the attribute ignore it.
Payload AskOf(unsigned command, const RdmaDevice& device) {
  constexpr int kDriverDetails = 97;  // RDMA_NLDEV_ATTR_DRIVER_DETAILS
  constexpr std::array<std::byte, 1> kYes{std::byte{1}};
  Payload payload;
  payload.U32(RDMA_NLDEV_ATTR_DEV_INDEX, device.index);
  if (command == RDMA_NLDEV_CMD_RES_QP_GET) payload.Bytes(kDriverDetails, kYes);
  return payload;
}

absl::Status ReadInto(HostReader& host, const RdmaDevice& device, unsigned command, Decode decode,
                      std::vector<RdmaHolder>& holders) {
  RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer,
                      host.Netlink(RdmaRequest(command, true, AskOf(command, device))));
  for (const NetlinkMessage& message : answer) {
    RR_ASSIGN_OR_RETURN(std::vector<RdmaHolder> some, decode(message.payload, device));
    std::ranges::move(some, std::back_inserter(holders));
  }
  return absl::OkStatus();
}

// Adds what shows the processes whose objects the kernel does not list.
absl::Status AddUnlisted(HostReader& host, const RdmaDevice& device, std::vector<RdmaHolder>& holders) {
  RR_ASSIGN_OR_RETURN(const Unlisted unlisted, ReadUnlisted(host, device));
  switch (unlisted) {
    case Unlisted::kNothing:
      return absl::OkStatus();
    case Unlisted::kObjects:
      return ReadInto(host, device, RDMA_NLDEV_CMD_RES_PD_GET, DecodeDomains, holders);
    case Unlisted::kContexts:
      break;
  }
  RR_ASSIGN_OR_RETURN(const bool open, ReadContextsOpen(host, device));
  if (open) holders.push_back({.object = RdmaHolder::Object::kContexts});
  return absl::OkStatus();
}

// rdma_create_qp is a function of rdma_cm, so the queue pair has that name; rdma_create_id is a macro, so the
// identifier has its caller's (include/rdma/rdma_cm.h, KBUILD_MODNAME).
void NameByConnection(std::vector<RdmaHolder>& holders) {
  std::map<std::uint32_t, const RdmaHolder*> connections;
  for (const RdmaHolder& holder : holders) {
    if (holder.object == RdmaHolder::Object::kConnection && holder.queue_pair != 0)
      connections[holder.queue_pair] = &holder;
  }
  for (RdmaHolder& holder : holders) {
    if (holder.object != RdmaHolder::Object::kQueuePair) continue;
    const auto found = connections.find(holder.queue_pair);
    if (found == connections.end()) continue;
    const RdmaHolder& connection = *found->second;
    holder.remote = connection.remote;
    if (holder.kernel_name == "rdma_cm" && !connection.kernel_name.empty())
      holder.kernel_name = connection.kernel_name;
  }
}

struct Process {
  std::int64_t id = 0;
  std::string command{};
};

// The kernel gives the thread; /proc/TID/status names its process, also where /proc does not list the thread.
Process ProcessOf(HostReader& host, std::int64_t thread) {
  Process process{.id = thread};
  const std::string directory = "/proc/" + std::to_string(thread);
  const absl::StatusOr<std::string> status = host.ReadFile(directory + "/status");
  const std::string_view text = status.ok() ? std::string_view(*status) : std::string_view();
  constexpr std::string_view kWord = "\nTgid:\t";
  if (const std::size_t begin = text.find(kWord); begin != std::string_view::npos) {
    const std::string_view rest = text.substr(begin + kWord.size());
    if (const auto id = ParseNumber<std::uint32_t>(rest.substr(0, rest.find('\n')))) process.id = *id;
  }
  const absl::StatusOr<std::string> command = host.ReadFile("/proc/" + std::to_string(process.id) + "/comm");
  if (command.ok()) process.command = TrimRight(*command);
  return process;
}

void NameProcesses(HostReader& host, std::vector<RdmaHolder>& holders) {
  std::map<std::int64_t, Process> known;
  for (RdmaHolder& holder : holders) {
    if (holder.thread == 0) continue;
    const auto found = known.find(holder.thread);
    const Process& process =
        found != known.end() ? found->second : (known[holder.thread] = ProcessOf(host, holder.thread));
    holder.process = process.id;
    holder.command = process.command;
  }
}

}  // namespace

absl::StatusOr<std::vector<RdmaHolder>> DecodeQueuePairs(std::span<const std::byte> payload,
                                                         const RdmaDevice& device) {
  return DecodeTable(payload, device, RDMA_NLDEV_ATTR_RES_QP, "RDMA queue pairs", DecodeQueuePair);
}

absl::StatusOr<std::vector<RdmaHolder>> DecodeConnections(std::span<const std::byte> payload,
                                                          const RdmaDevice& device) {
  return DecodeTable(payload, device, RDMA_NLDEV_ATTR_RES_CM_ID, "RDMA-CM identifiers", DecodeConnection);
}

absl::StatusOr<std::vector<RdmaHolder>> DecodeDomains(std::span<const std::byte> payload,
                                                      const RdmaDevice& device) {
  absl::StatusOr<std::vector<RdmaHolder>> domains =
      DecodeTable(payload, device, RDMA_NLDEV_ATTR_RES_PD, "RDMA protection domains", DecodeDomain);
  if (domains.ok())
    std::erase_if(*domains, [](const RdmaHolder& domain) { return !domain.kernel_name.empty(); });
  return domains;
}

Fact<std::vector<RdmaHolder>> ReadHolders(HostReader& host, const std::string& name) {
  const absl::StatusOr<std::vector<RdmaDevice>> devices = ReadRdmaDevices(host);
  if (!devices.ok()) return MissingFrom(devices.status());
  const auto device = std::ranges::find(*devices, name, &RdmaDevice::name);
  if (device == devices->end()) return Missing{Missing::Kind::kFailed, "there is no RDMA device " + name};
  std::vector<RdmaHolder> holders;
  absl::Status read = ReadInto(host, *device, RDMA_NLDEV_CMD_RES_QP_GET, DecodeQueuePairs, holders);
  if (read.ok()) read = ReadInto(host, *device, RDMA_NLDEV_CMD_RES_CM_ID_GET, DecodeConnections, holders);
  if (!read.ok()) return MissingFrom(read);
  if (!ListsAllNamespaces(host, holders)) {
    return Missing{Missing::Kind::kFailed,
                   "kernels before Linux 5.5 hide objects of other PID namespaces from this process"};
  }
  read = AddUnlisted(host, *device, holders);
  if (!read.ok()) return MissingFrom(read);
  NameByConnection(holders);
  NameProcesses(host, holders);
  return holders;
}

}  // namespace rdmaready
