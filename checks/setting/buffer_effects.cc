// SPDX-License-Identifier: Apache-2.0
// Receive buffers. mlx5 is the one driver among the known ones that lets the host set them
// (mlx5e_dcbnl_setbuffer, mlx5e_port_manual_buffer_config of en/port_buffer.c).
#include "checks/setting/buffer_effects.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "checks/dcb/dcb_driver.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/driver_writes.h"
#include "checks/setting/edit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// calculate_xoff() of mlx5's port_buffer.c, and the longest frame and a cell beside it.
std::uint64_t Mlx5LeastBytes(const Netdev& netdev) {
  constexpr std::uint32_t kLeastFrame = 9216;  // MINIMUM_MAX_MTU
  const std::uint64_t mbps = std::max<std::uint64_t>(netdev.speed_mbps ? *netdev.speed_mbps : 0, 40'000);
  const std::uint64_t metres = netdev.dcb.pfc ? netdev.dcb.pfc->delay : 0;
  const std::uint64_t most = std::max(netdev.max_mtu_bytes ? *netdev.max_mtu_bytes : 0, kLeastFrame);
  return (301 + 216 * metres / 100) * mbps / 1000 + 272 * std::uint64_t{netdev.mtu_bytes} / 100 + most +
         kMlx5CellBytes;
}

bool AreWhole(const PortBuffer& buffer, std::uint32_t cell) {
  return buffer.total_bytes % cell == 0 &&
         std::ranges::all_of(buffer.size_bytes, [cell](std::uint32_t size) { return size % cell == 0; });
}

// The NIC does not say how large its cells are: 128 and 144 bytes are seen. 1: neither fits what reads.
std::uint32_t CellOf(const PortBuffer& buffer) {
  constexpr std::uint32_t kOfNewer = 144;
  if (AreWhole(buffer, kMlx5CellBytes)) return kMlx5CellBytes;
  return AreWhole(buffer, kOfNewer) ? kOfNewer : 1;
}

// Priorities whose buffer is lossless; all of them with pause of the whole link (fill_pfc_en).
std::uint8_t Lossless(const Netdev& netdev) {
  constexpr std::uint8_t kAll = 0xff;
  if (netdev.pause && (netdev.pause->rx || netdev.pause->tx)) return kAll;
  return netdev.dcb.pfc ? netdev.dcb.pfc->enabled : std::uint8_t{0};
}

// update_xoff_threshold(): the first priority whose buffer would be too small.
std::string TooSmall(const Netdev& netdev, const BufferSetting& buffer) {
  const std::uint64_t least = Mlx5LeastBytes(netdev);
  for (const std::uint8_t priority : PrioritiesOf(Lossless(netdev))) {
    if (buffer.size_bytes[buffer.prio_buffer[priority]] < least)
      return Cat("mlx5 makes no lossless buffer of that size for priority ", priority);
  }
  return {};
}

std::uint64_t SumOf(const BufferSetting& buffer) {
  std::uint64_t sum = 0;
  for (const std::uint32_t size : buffer.size_bytes) sum += size;
  return sum;
}

// port_update_shared_buffer(): what the buffers leave of the total is in the pools that they share, if it is
// more than what whole cells leave over. Four cells must stay there.
bool EmptiesPools(const PortBuffer& buffer, const BufferSetting& now, const BufferSetting& to,
                  std::uint32_t cell) {
  constexpr std::uint32_t kLeastCells = 4;
  const std::uint64_t reserve = std::uint64_t{kLeastCells} * cell;
  return SumOf(now) + reserve < buffer.total_bytes && SumOf(to) + reserve > buffer.total_bytes;
}

std::string Mlx5Refusal(const Netdev& netdev, const BufferSetting& now, const BufferSetting& to) {
  const std::uint32_t cell = CellOf(*netdev.dcb.buffer);
  if (std::ranges::any_of(to.size_bytes, [cell](std::uint32_t size) { return size % cell != 0; }))
    return Cat("mlx5 stores whole cells of ", cell, " bytes");
  if (EmptiesPools(*netdev.dcb.buffer, now, to, cell))
    return "mlx5 keeps four cells for the pools that its buffers share";
  if (std::string why = TooSmall(netdev, to); !why.empty()) return why;
  if (BufferOrderOf(netdev, now, to)) return {};
  return "mlx5 takes neither the sizes nor the map of its buffers first";
}

}  // namespace

std::optional<BufferOrder> BufferOrderOf(const Netdev& netdev, const BufferSetting& now,
                                         const BufferSetting& to) {
  if (now.prio_buffer == to.prio_buffer || now.size_bytes == to.size_bytes) return BufferOrder::kSizesFirst;
  const BufferSetting sizes{.prio_buffer = now.prio_buffer, .size_bytes = to.size_bytes};
  if (TooSmall(netdev, sizes).empty()) return BufferOrder::kSizesFirst;
  const BufferSetting map{.prio_buffer = to.prio_buffer, .size_bytes = now.size_bytes};
  if (TooSmall(netdev, map).empty()) return BufferOrder::kMapFirst;
  return std::nullopt;
}

std::string WriteBuffer(Netdev& netdev, const BufferSetting& to) {
  const PortBuffer& before = *netdev.dcb.buffer;
  if (SumOf(to) > before.total_bytes) return "the NIC has no buffers of that size together";
  const BufferSetting now{.prio_buffer = before.prio_buffer, .size_bytes = before.size_bytes};
  if (DcbDriverOf(netdev) == DcbDriver::kMlx5) {
    if (std::string why = Mlx5Refusal(netdev, now, to); !why.empty()) return why;
  }
  EditFact(netdev.dcb.buffer, [&to](PortBuffer& buffer) {
    buffer.prio_buffer = to.prio_buffer;
    buffer.size_bytes = to.size_bytes;
  });
  return {};
}

}  // namespace rdmaready
