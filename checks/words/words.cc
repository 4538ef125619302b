// SPDX-License-Identifier: Apache-2.0
#include "checks/words/words.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "api/base/text.h"

namespace rdmaready {
namespace {

struct Character {
  std::size_t bytes = 1;
  std::optional<char32_t> code{};  // nothing: the byte is not UTF-8
};

// The first character of a text that is not empty. Overlong forms, surrogates and what lies above U+10FFFF are
// not UTF-8.
Character FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {.bytes = 1, .code = byte(0)};
  constexpr std::array<char32_t, 5> kLowest{0, 0, 0x80, 0x800, 0x10000};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLowest[bytes] || code > 0x10ffff || surrogate) return {};
  return {.bytes = bytes, .code = code};
}

bool Disturbs(const Character& character) {
  if (!character.code) return true;
  const char32_t code = *character.code;
  const bool control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
  const bool line_or_direction = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || line_or_direction;
}

}  // namespace

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

bool IsLinkLocal(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));  // a scope may follow: "fe80::1%eth0"
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return bytes[0] == 169 && bytes[1] == 254;
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return false;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

std::string AddressOfGid(const std::array<std::uint8_t, 16>& raw) {
  if (std::ranges::all_of(raw, [](std::uint8_t byte) { return byte == 0; })) return {};
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_ipv4 = std::equal(kMapped.begin(), kMapped.end(), raw.begin());
  const void* address = is_ipv4 ? raw.data() + kMapped.size() : raw.data();
  if (inet_ntop(is_ipv4 ? AF_INET : AF_INET6, address, text.data(), text.size()) == nullptr) return {};
  return IsLinkLocal(text.data()) ? std::string() : std::string(text.data());
}

std::string ShareText(std::uint32_t permille) { return Cat(permille / 10, ".", permille % 10, " %"); }

std::string VolumeText(std::uint64_t bytes) {
  std::string text = RateText(bytes);
  if (text.ends_with("/s")) text.resize(text.size() - 2);
  return text;
}

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/@%+";
  std::string clean = Printable(word);
  std::ranges::replace_if(
      clean, [](char c) { return c == '{' || c == '}'; }, '?');
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
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(text, plain)) return std::string(text);
  std::string clean;
  while (!text.empty()) {
    const Character character = FirstOf(text);
    if (Disturbs(character)) {
      clean += ' ';
    } else {
      clean += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return clean;
}

std::string CountText(std::uint64_t count, std::string_view what) {
  return Cat(count, " ", what, count == 1 ? "" : "s");
}

bool SharesDevice(const Port& port) {
  return port.netdev && port.lowers && !port.netdev->master.empty() &&
         std::ranges::find(*port.lowers, port.netdev->name, &Netdev::name) != port.lowers->end();
}

std::string SubjectOf(const Port& port) {
  std::string subject = PortName(port);
  if (SharesDevice(port)) {
    subject += " " + port.netdev->master;
  } else if (port.netdev && !port.netdev->name.empty()) {
    subject += " " + port.netdev->name;
  }
  return Printable(subject);
}

std::string NetdevWord(NetdevRef netdev) {
  if (!netdev || netdev->name.empty()) return "NETDEV";
  return ShellWord(netdev->name);
}

}  // namespace rdmaready
