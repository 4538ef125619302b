// SPDX-License-Identifier: Apache-2.0
#include "agent/server/old_connections.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

// A descriptor above this is none of gRPC's: the kernel gives the lowest number that is free.
constexpr ::rlim_t kMostDescriptors = 65'536;

std::string TextOf(const ::sockaddr_storage& peer) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (peer.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const ::sockaddr_in&>(peer);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const ::sockaddr_in6&>(peer);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v6.sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return fmt::format("[{}]:{}", text.data(), ntohs(v6.sin6_port));
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::set<std::string> TcpPeers() {
  ::rlimit limit{.rlim_cur = kMostDescriptors, .rlim_max = kMostDescriptors};
  static_cast<void>(::getrlimit(RLIMIT_NOFILE, &limit));
  std::set<std::string> peers;
  for (int fd = 0; fd < static_cast<int>(std::min(limit.rlim_cur, kMostDescriptors)); ++fd) {
    ::sockaddr_storage peer{};
    ::socklen_t size = sizeof(peer);
    if (::getpeername(fd, reinterpret_cast<::sockaddr*>(&peer), &size) != 0) continue;
    if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) peers.insert(TextOf(peer));
  }
  return peers;
}

// A link-local address has its zone there, which getpeername's text has not.
std::string TcpPeerOf(std::string_view grpc_peer) {
  if (!grpc_peer.starts_with("ipv4:") && !grpc_peer.starts_with("ipv6:")) return {};
  std::string text(grpc_peer.substr(5));
  text = Replaced(Replaced(std::move(text), "%5B", "["), "%5D", "]");
  const std::size_t zone = text.find('%');
  const std::size_t end = text.find(']');
  if (zone != std::string::npos && end != std::string::npos && zone < end) text.erase(zone, end - zone);
  return text;
}

void OldConnections::Mark(const std::string& change_id) {
  Marked mark{.change_id = change_id, .when = clock_.Now(), .tcp = TcpPeers()};
  const std::lock_guard lock(mutex_);
  std::erase_if(marked_, [&change_id](const Marked& one) { return one.change_id == change_id; });
  if (marked_.size() == kMostMarked) marked_.pop_front();
  marked_.push_back(std::move(mark));
}

bool OldConnections::IsOld(const std::string& change_id, const access::Identity& caller,
                           const std::string& grpc_peer) const {
  const std::lock_guard lock(mutex_);
  const auto mark = std::ranges::find(marked_, change_id, &Marked::change_id);
  if (mark == marked_.end()) return false;
  switch (caller.way) {
    case access::Way::kLocalSocket:
      return caller.connected <= mark->when;
    case access::Way::kTls:
    case access::Way::kPlainTcp:
      return mark->tcp.contains(TcpPeerOf(grpc_peer));
    case access::Way::kUnknown:
    case access::Way::kInProcess:
    case access::Way::kSchedule:
      return true;
  }
  return true;
}

}  // namespace rdmaready
