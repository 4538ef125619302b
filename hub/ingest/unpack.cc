// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/unpack.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <zlib.h>

#include <algorithm>

#include "api/base/status.h"
#include "api/convert/facts.h"

namespace rdmaready::hub {
namespace {

// The longest of the names that its findings are known by.
std::size_t LongestName(const Port& port) {
  std::size_t longest = port.device.size();
  if (port.netdev) longest = std::max({longest, port.netdev->name.size(), port.netdev->master.size()});
  if (!port.lowers) return longest;
  for (const Netdev& lower : *port.lowers) longest = std::max(longest, lower.name.size());
  return longest;
}

}  // namespace

absl::StatusOr<std::string> Unpack(std::string_view packed, std::uint64_t plain_bytes,
                                   const UnpackLimits& limits) {
  if (packed.size() > limits.packed)
    return absl::InvalidArgumentError(
        fmt::format("{} of {} bytes, {} are taken", limits.what, packed.size(), limits.packed));
  if (plain_bytes == 0 || plain_bytes > limits.plain)
    return absl::InvalidArgumentError(
        fmt::format("{} of {} bytes unpacked, 1 to {} are taken", limits.what, plain_bytes, limits.plain));
  std::string plain(plain_bytes, '\0');
  ::z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) return absl::ResourceExhaustedError("unpack: no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  const int result = ::inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  ::inflateEnd(&stream);
  if (!whole)
    return absl::InvalidArgumentError(
        fmt::format("{} that do not unpack to the {} bytes that were announced", limits.what, plain_bytes));
  return plain;
}

absl::StatusOr<Facts> ReadFacts(std::string_view packed, std::uint64_t plain_bytes) {
  RR_ASSIGN_OR_RETURN(const std::string plain, Unpack(packed, plain_bytes));
  google::protobuf::Arena arena;  // hundreds of small messages, which end together
  auto& message = *google::protobuf::Arena::CreateMessage<v1::Facts>(&arena);
  if (!message.ParseFromString(plain)) return absl::InvalidArgumentError("facts that are none");
  Facts facts = FromProto(message);
  // What cannot be read is as if nothing was said, not even a name.
  if (facts.hostname.empty()) return absl::InvalidArgumentError("facts that cannot be read");
  if (facts.ports && facts.ports->size() > kMostPorts)
    return absl::InvalidArgumentError(
        fmt::format("facts of {} ports, {} are taken", facts.ports->size(), kMostPorts));
  std::size_t longest = 0;
  if (facts.ports) {
    for (const Port& port : *facts.ports) longest = std::max(longest, LongestName(port));
  }
  if (longest > kMostDeviceNameBytes)
    return absl::InvalidArgumentError(
        fmt::format("facts of a port with a name of {} bytes, {} are taken", longest, kMostDeviceNameBytes));
  return facts;
}

}  // namespace rdmaready::hub
