// SPDX-License-Identifier: Apache-2.0
// Words: small pure helpers with which the checks write their sentences.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/model/facts.h"
#include "checks/fact_ref.h"

namespace rdmaready {

inline void AppendPart(std::string& text, std::string_view part) { text += part; }
template <class Number>
requires std::is_arithmetic_v<Number>
void AppendPart(std::string& text, Number part) { text += std::to_string(part); }

// Cat("PFC on ", 3): all parts in a row; numbers in decimal.
template <class... Parts>
std::string Cat(const Parts&... parts) {
  std::string text;
  (AppendPart(text, parts), ...);
  return text;
}

// "3", "3 and 4", "0, 3 and 4"; empty for none.
std::string ListText(std::span<const std::uint8_t> numbers);

// The priorities of a bitmap, ascending, and back. Numbers above 7 are left out.
std::vector<std::uint8_t> PrioritiesOf(std::uint8_t bitmap);
std::uint8_t BitmapOf(std::span<const std::uint8_t> priorities);

// "PFC on 3 and 4", "PFC off".
std::string PfcText(std::uint8_t bitmap);

// fe80::/10 and 169.254.0.0/16, as text without prefix length: meaningless without their interface, so neither
// RDMA-CM nor storage is given one. False for what is no address.
bool IsLinkLocal(std::string_view address);

// The IP address that a RoCE GID stands for: "10.0.0.1", "fd00::1"; empty for a link-local or empty GID.
std::string AddressOfGid(const std::array<std::uint8_t, 16>& raw);

// "1 hour", "2 hours".
std::string CountText(std::uint64_t count, std::string_view what);

// "99.2 %", of parts in a thousand.
std::string ShareText(std::uint32_t permille);

// "41.9 MB": decimal units, as rates are written.
std::string VolumeText(std::uint64_t bytes);

// As one word of a shell command: as it is when it is plain, else in single quotes. Names come from the kernel
// of a host that we only asked; a fix is typed as root. Braces become '?': the word may come to stand in a text
// that FillIn reads.
std::string ShellWord(std::string_view word);

// Spaces for control characters (C0, DEL, C1), line separators, characters that turn the direction of writing,
// and bytes that are not UTF-8, so that no answer of a host can break a line or a terminal.
std::string Printable(std::string_view text);

// Its netdev is one of several in a bond that share one RDMA device (RoCE LAG): they are Port::lowers.
bool SharesDevice(const Port& port);

// "rxe0/1 dcb0": what a person calls the port. Of a RoCE LAG the bond is named: "mlx5_bond_0/1 bond0".
std::string SubjectOf(const Port& port);

// The netdev's name as a word of a command; "NETDEV" when it is not known.
std::string NetdevWord(NetdevRef netdev);

}  // namespace rdmaready
