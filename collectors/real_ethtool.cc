// SPDX-License-Identifier: Apache-2.0
#include "collectors/real_ethtool.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "api/base/status.h"

namespace rdmaready {
namespace {

// Commands whose answer is never longer than the request says. Strings and statistics are not among them: the
// kernel writes as many as the driver has, whatever room there is (ethtool_get_stats in net/ethtool/ioctl.c).
struct Query {
  std::uint32_t command;
  std::size_t bytes;
};

constexpr std::array<Query, 3> kQueries{{
    {ETHTOOL_GDRVINFO, sizeof(ethtool_drvinfo)},
    {ETHTOOL_GPAUSEPARAM, sizeof(ethtool_pauseparam)},
    {ETHTOOL_GTUNABLE, sizeof(ethtool_tunable)},
}};

std::uint32_t NumberAt(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::size_t BytesAnswered(const Query& query, std::span<const std::byte> request) {
  const bool tunable = query.command == ETHTOOL_GTUNABLE;
  return query.bytes + (tunable ? NumberAt(request, offsetof(ethtool_tunable, len)) : 0);
}

absl::Status CheckQuery(std::span<const std::byte> request) {
  if (request.size() < sizeof(std::uint32_t)) return absl::InvalidArgumentError("ethtool: no command");
  const auto command = NumberAt(request, 0);
  const auto* const query = std::ranges::find(kQueries, command, &Query::command);
  if (query == kQueries.end()) {
    return absl::InvalidArgumentError("ethtool: command " + std::to_string(command) + " is no known query");
  }
  if (request.size() < query->bytes || request.size() < BytesAnswered(*query, request)) {
    return absl::InvalidArgumentError("ethtool: command " + std::to_string(command) +
                                      " has no room for its answer");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> AskEthtool(const std::string& netdev,
                                                  std::span<const std::byte> request) {
  RR_RETURN_IF_ERROR(CheckQuery(request));
  ifreq interface {};
  if (netdev.empty() || netdev.size() >= sizeof interface.ifr_name) {
    return absl::InvalidArgumentError("ethtool: \"" + netdev + "\" cannot be a network device");
  }
  std::ranges::copy(netdev, interface.ifr_name);
  std::vector<std::byte> answer(request.begin(), request.end());
  interface.ifr_data = reinterpret_cast<char*>(answer.data());
  const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return ErrnoStatus(errno, "open a socket for ethtool");
  const int error = ::ioctl(descriptor, SIOCETHTOOL, &interface) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0) return ErrnoStatus(error, "ask ethtool about " + netdev);
  return answer;
}

}  // namespace rdmaready
