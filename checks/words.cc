// SPDX-License-Identifier: Apache-2.0
#include "checks/words.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>

namespace rdmaready {

std::string ListText(std::span<const std::uint8_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

std::vector<std::uint8_t> PrioritiesOf(std::uint8_t bitmap) {
  std::vector<std::uint8_t> priorities;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if ((static_cast<unsigned>(bitmap) >> priority & 1U) != 0) priorities.push_back(priority);
  }
  return priorities;
}

std::uint8_t BitmapOf(std::span<const std::uint8_t> priorities) {
  unsigned bitmap = 0;
  for (const std::uint8_t priority : priorities) {
    if (priority < kPriorities) bitmap |= 1U << priority;
  }
  return static_cast<std::uint8_t>(bitmap);
}

std::string PfcText(std::uint8_t bitmap) {
  if (bitmap == 0) return "PFC off";
  if (bitmap == 0xff) return "PFC on all eight priorities";
  return Cat("PFC on ", ListText(PrioritiesOf(bitmap)));
}

std::string AddressOfGid(const std::array<std::uint8_t, 16>& raw) {
  if (std::ranges::all_of(raw, [](std::uint8_t byte) { return byte == 0; })) return {};
  if (raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80) return {};
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_ipv4 = std::equal(kMapped.begin(), kMapped.end(), raw.begin());
  const void* address = is_ipv4 ? raw.data() + kMapped.size() : raw.data();
  if (inet_ntop(is_ipv4 ? AF_INET : AF_INET6, address, text.data(), text.size()) == nullptr) return {};
  return text.data();
}

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/@%+";
  const std::string clean = Printable(word);
  if (!clean.empty() && clean.find_first_not_of(kPlain) == std::string::npos) return clean;
  std::string quoted = "'";
  for (const char c : clean) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string Printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return clean;
}

std::string SubjectOf(const Port& port) {
  std::string subject = PortName(port);
  if (port.netdev && !port.netdev->name.empty()) subject += " " + port.netdev->name;
  return Printable(subject);
}

std::string NetdevWord(const Port& port) {
  if (!port.netdev || port.netdev->name.empty()) return "NETDEV";
  return ShellWord(port.netdev->name);
}

}  // namespace rdmaready
