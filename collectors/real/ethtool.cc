// SPDX-License-Identifier: Apache-2.0
// One ethtool query by ioctl (SIOCETHTOOL of linux/sockios.h): what ethtool's netlink family does not carry,
// and what kernels older than it know.

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "api/base/status.h"
#include "collectors/questions/netlink.h"

namespace rdmaready {
namespace {

struct Query {
  std::uint32_t command;
  std::size_t bytes;          // of the struct
  std::size_t counter;        // where in it the number of what follows stands; 0: nothing follows
  std::size_t element_bytes;  // of one of them; more than 1: the kernel's number counts, not the request's
};

constexpr std::array<Query, 6> kQueries{{
    {ETHTOOL_GDRVINFO, sizeof(ethtool_drvinfo), 0, 0},
    {ETHTOOL_GPAUSEPARAM, sizeof(ethtool_pauseparam), 0, 0},
    {ETHTOOL_GTUNABLE, sizeof(ethtool_tunable), offsetof(ethtool_tunable, len), 1},
    // With room for the strings of one set: more than one are not asked for.
    {ETHTOOL_GSSET_INFO, sizeof(ethtool_sset_info) + sizeof(std::uint32_t), 0, 0},
    {ETHTOOL_GSTRINGS, sizeof(ethtool_gstrings), offsetof(ethtool_gstrings, len), ETH_GSTRING_LEN},
    {ETHTOOL_GSTATS, sizeof(ethtool_stats), offsetof(ethtool_stats, n_stats), sizeof(std::uint64_t)},
}};

// Memory that nobody can write beyond, the kernel included. It writes as many strings and statistics as the
// driver has by now, whatever room the request has (ethtool_get_stats in net/ethtool/ioctl.c; newer ones
// compare the number first): with too many of them the call fails, and nothing of ours is overwritten.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t usable = (bytes + page - 1) / page * page;
    mapped_ = usable + page;
    map_ = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ != MAP_FAILED && ::mprotect(map_, usable, PROT_READ | PROT_WRITE) == 0)
      data_ = static_cast<std::byte*>(map_);
  }
  ~Guarded() {
    if (map_ != MAP_FAILED) ::munmap(map_, mapped_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  std::byte* data() { return data_; }  // nullptr when there is no memory

 private:
  void* map_ = MAP_FAILED;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
};

std::uint32_t NumberAt(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::size_t BytesAnswered(const Query& query, std::span<const std::byte> request) {
  if (query.counter == 0) return query.bytes;
  return query.bytes + std::size_t{NumberAt(request, query.counter)} * query.element_bytes;
}

absl::StatusOr<Query> CheckQuery(std::span<const std::byte> request) {
  if (request.size() < sizeof(std::uint32_t)) return absl::InvalidArgumentError("ethtool: no command");
  const auto command = NumberAt(request, 0);
  const auto* const query = std::ranges::find(kQueries, command, &Query::command);
  if (query == kQueries.end()) {
    return absl::InvalidArgumentError(fmt::format("ethtool: command {} is no known query", command));
  }
  if (request.size() < query->bytes || request.size() < BytesAnswered(*query, request)) {
    return absl::InvalidArgumentError(fmt::format("ethtool: command {} has no room for its answer", command));
  }
  if (command == ETHTOOL_GSSET_INFO) {
    std::uint64_t sets = 0;
    std::memcpy(&sets, request.data() + offsetof(ethtool_sset_info, sset_mask), sizeof sets);
    if (std::popcount(sets) > 1) return absl::InvalidArgumentError("ethtool: more than one set of strings");
  }
  return *query;
}

// What `data` holds is the question, and then the answer.
absl::Status AskIoctl(const std::string& netdev, std::byte* data) {
  ifreq interface {};
  std::ranges::copy(netdev, interface.ifr_name);
  interface.ifr_data = reinterpret_cast<char*>(data);
  const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return ErrnoStatus(errno, "open a socket for ethtool");
  const int error = ::ioctl(descriptor, SIOCETHTOOL, &interface) == 0 ? 0 : errno;
  ::close(descriptor);
  return error == 0 ? absl::OkStatus() : ErrnoStatus(error, "ask ethtool about " + netdev);
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> EthtoolQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const Query query, CheckQuery(request));
  if (netdev.empty() || netdev.size() >= sizeof(ifreq::ifr_name)) {
    return absl::InvalidArgumentError("ethtool: \"" + netdev + "\" cannot be a network device");
  }
  if (query.element_bytes <= 1) {
    std::vector<std::byte> answer = request;
    RR_RETURN_IF_ERROR(AskIoctl(netdev, answer.data()));
    return answer;
  }
  Guarded answer(request.size());
  if (answer.data() == nullptr) return ErrnoStatus(ENOMEM, What());
  std::ranges::copy(request, answer.data());
  RR_RETURN_IF_ERROR(AskIoctl(netdev, answer.data()));
  return std::vector<std::byte>(answer.data(), answer.data() + request.size());
}

}  // namespace rdmaready
