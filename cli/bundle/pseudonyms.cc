// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/pseudonyms.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "api/base/digest.h"

namespace rdmaready::bundle {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::uint32_t kVendorMask = 0xfdffff;  // without the bit that says who gave the address out
constexpr std::uint64_t kEuiMiddle = 0xfffe;

constexpr std::array<std::string_view, 48> kPathParts{
    "",          "etc",        "usr",         "lib",
    "lib64",     "sys",        "proc",        "run",
    "dev",       "var",        "local",       "kernel",
    "config",    "class",      "net",         "module",
    "system",    "user",       "systemd",     "udev",
    "cc",        "ports",      "bnxt_re",     "infiniband",
    "rules.d",   "conf.d",     "cron.d",      "limits.d",
    "security",  "modprobe.d", "nvme",        "nccl.conf",
    "ksmbd",     "ksmbd.conf", "limits.conf", "config.json",
    "profile.d", "init.d",     "rc.local",    "discovery.conf",
    "rdma",      "network",    "if-up.d",     "smb.conf",
    "debug",     "parameters", "devices",     "ecn"};

constexpr std::array<std::string_view, 33> kRuleWords{"from",
                                                      "to",
                                                      "not",
                                                      "iif",
                                                      "oif",
                                                      "fwmark",
                                                      "tos",
                                                      "dport",
                                                      "sport",
                                                      "ipproto",
                                                      "uidrange",
                                                      "all",
                                                      "lookup",
                                                      "table",
                                                      "main",
                                                      "local",
                                                      "default",
                                                      "goto",
                                                      "nop",
                                                      "unreachable",
                                                      "prohibit",
                                                      "blackhole",
                                                      "suppress_prefixlength",
                                                      "suppress_ifgroup",
                                                      "l3mdev",
                                                      "proto",
                                                      "tcp",
                                                      "udp",
                                                      "icmp",
                                                      "nat",
                                                      "realms",
                                                      "priority",
                                                      "dsfield"};

// What the names of devices begin with that the kernel and systemd make.
constexpr std::array<std::string_view, 27> kDevicePrefixes{
    "eth",   "en",    "eno",   "ens",   "enp", "ib",      "ibp",    "ibs",  "bond",
    "team",  "br",    "rxe",   "siw",   "dcb", "mlx4_",   "mlx5_",  "mlx5", "mlx4",
    "irdma", "rocep", "roceo", "roces", "iwp", "bnxt_re", "cxgb4_", "qedr", "hns_"};

std::optional<std::array<std::uint8_t, 6>> ParseMac(std::string_view text) {
  constexpr std::size_t kTextBytes = 17;
  if (text.size() != kTextBytes) return std::nullopt;
  std::array<std::uint8_t, 6> mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) {
    const char* begin = text.data() + 3 * i;
    const auto [end, error] = std::from_chars(begin, begin + 2, mac[i], 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
    if (i + 1 < mac.size() && text[3 * i + 2] != ':' && text[3 * i + 2] != '-') return std::nullopt;
  }
  return mac;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdefx-/:") == std::string_view::npos &&
         word.front() >= '0' && word.front() <= '9' && word.find(':') == std::string_view::npos;
}

// Longer ones may be a serial number, or the beginning of an id.
bool IsSmallNumber(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  return !word.empty() && word.size() <= kMostDigits && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// A prefix of the list, then nothing but numbers and what stands between those of slots, ports and VLANs.
bool IsOfSlots(std::string_view name) {
  if (name == "lo") return true;
  if (name.size() >= 16) return false;
  const auto fits = [&](std::string_view prefix) {
    return name.starts_with(prefix) &&
           name.substr(prefix.size()).find_first_not_of("0123456789psfndv_.") == std::string_view::npos;
  };
  return std::ranges::any_of(kDevicePrefixes, fits);
}

std::string ShowAddress(int family, const void* bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  return ::inet_ntop(family, bytes, &text[0], sizeof(text)) == nullptr ? std::string() : std::string(&text[0]);
}

bool AllZero(const std::uint8_t* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

absl::StatusOr<Pseudonyms> Pseudonyms::Make() {
  std::string key(kKeyBytes, '\0');
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return absl::InternalError("the kernel gives no random bytes for a key of pseudonyms");
  }
  return Pseudonyms(std::move(key));
}

std::uint64_t Pseudonyms::Number(std::string_view kind, std::string_view text) const {
  const absl::StatusOr<std::string> digest = Sha256(fmt::format("{}{}\n{}", key_, kind, text));
  std::uint64_t number = 0;
  if (digest.ok()) std::from_chars(digest->data(), digest->data() + 16, number, 16);
  return number;
}

std::string Pseudonyms::Word(std::string_view kind, std::string_view text) const {
  if (text.empty()) return {};
  return fmt::format("{}-{:012x}", kind, Number("word", text) >> 16);
}

std::string Pseudonyms::Device(std::string_view name) const {
  if (name.empty() || IsOfSlots(name)) return std::string(name);
  return fmt::format("dev{:010x}", Number("device", name) >> 24);
}

std::string Pseudonyms::MachineId(std::string_view text) const {
  if (text.empty()) return {};
  return fmt::format("{:016x}{:016x}", Number("machine", text), Number("machine again", text));
}

void Pseudonyms::Flip(std::string_view kind, std::uint8_t* bytes, std::size_t kept, std::size_t bits) const {
  const std::string original(reinterpret_cast<const char*>(bytes), (bits + 7) / 8);
  for (std::size_t bit = kept; bit < bits; ++bit) {
    std::string before = original.substr(0, bit / 8);
    const auto part = static_cast<std::uint8_t>(original[bit / 8]);
    before.push_back(static_cast<char>(part & static_cast<std::uint8_t>(0xff00U >> (bit % 8))));
    if ((Number(fmt::format("{} {}", kind, bit), before) & 1) == 0) continue;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (0x80U >> (bit % 8)));
  }
}

void Pseudonyms::FlipIpv4(std::uint8_t* bytes) const {
  constexpr std::array<std::uint8_t, 5> kTwoOctets{100, 169, 172, 192, 198};
  const std::uint8_t first = bytes[0];
  if (first == 0 || first == 127 || first >= 224) return;
  Flip("ipv4", bytes, std::ranges::find(kTwoOctets, first) != kTwoOctets.end() ? 16 : 8, 32);
}

std::uint32_t Pseudonyms::VendorNumber(std::uint32_t vendor, std::uint32_t number) const {
  std::array<std::uint8_t, 6> bytes{};
  const std::uint32_t of = vendor & kVendorMask;
  for (std::size_t i = 0; i < 3; ++i) {
    bytes[i] = static_cast<std::uint8_t>(of >> (16 - 8 * i));
    bytes[i + 3] = static_cast<std::uint8_t>(number >> (16 - 8 * i));
  }
  Flip("vendor number", bytes.data(), 24, 48);
  return static_cast<std::uint32_t>(bytes[3] << 16 | bytes[4] << 8 | bytes[5]);
}

Pseudonyms::Octets6 Pseudonyms::MacBytes(Octets6 mac) const {
  if ((mac[0] & 1) != 0 || AllZero(mac.data(), mac.size())) return mac;
  const auto vendor = static_cast<std::uint32_t>(mac[0] << 16 | mac[1] << 8 | mac[2]);
  const std::uint32_t number =
      VendorNumber(vendor, static_cast<std::uint32_t>(mac[3] << 16 | mac[4] << 8 | mac[5]));
  for (std::size_t i = 0; i < 3; ++i) mac[i + 3] = static_cast<std::uint8_t>(number >> (16 - 8 * i));
  return mac;
}

std::uint64_t Pseudonyms::Guid(std::uint64_t guid) const {
  constexpr std::uint64_t kNumber = 0xffffff;
  if (guid == 0) return guid;
  return (guid & ~kNumber) |
         VendorNumber(static_cast<std::uint32_t>(guid >> 40), static_cast<std::uint32_t>(guid & kNumber));
}

Pseudonyms::Bytes16 Pseudonyms::Ipv6(Bytes16 bytes) const {
  constexpr Bytes16 kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const Bytes16 original = bytes;
  if (std::equal(bytes.begin(), bytes.begin() + 12, kMapped.begin())) {
    FlipIpv4(&bytes[12]);
    return bytes;
  }
  if (bytes[0] == 0xff || AllZero(bytes.data(), 15)) return bytes;  // multicast; :: and ::1
  const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  Flip("ipv6", bytes.data(), link_local ? 64 : 16, 128);
  std::uint64_t interface = 0;
  for (std::size_t i = 8; i < 16; ++i) interface = interface << 8 | original[i];
  if ((interface >> 24 & 0xffff) != kEuiMiddle) return bytes;
  interface = Guid(interface);
  for (std::size_t i = 16; i > 8; --i, interface >>= 8) bytes[i - 1] = static_cast<std::uint8_t>(interface);
  return bytes;
}

std::string Pseudonyms::Address(std::string_view text) const {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string address(text.substr(0, slash));
  const std::string length(text.substr(slash));
  std::array<std::uint8_t, 4> ipv4{};
  if (::inet_pton(AF_INET, address.c_str(), ipv4.data()) == 1) {
    FlipIpv4(ipv4.data());
    return ShowAddress(AF_INET, ipv4.data()) + length;
  }
  Bytes16 ipv6{};
  if (::inet_pton(AF_INET6, address.c_str(), ipv6.data()) == 1) {
    return ShowAddress(AF_INET6, Ipv6(ipv6).data()) + length;
  }
  return Word("address", text);
}

std::string Pseudonyms::Mac(std::string_view text) const {
  const std::optional<Octets6> mac = ParseMac(text);
  if (!mac) return Word("address", text);
  const Octets6 bytes = MacBytes(*mac);
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[0], bytes[1], bytes[2], bytes[3],
                     bytes[4], bytes[5]);
}

std::string Pseudonyms::Any(std::string_view text) const {
  if (ParseMac(text)) return Mac(text);
  std::string address = Address(text);
  return address == Word("address", text) ? Word("name", text) : address;
}

std::string Pseudonyms::Rule(std::string_view text) const {
  std::string rule;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!rule.empty()) rule += ' ';
    const std::string address = Address(word);
    if (!word.empty() && address != Word("address", word)) {
      rule += address;
    } else {
      const bool own = IsNumber(word) || std::ranges::find(kRuleWords, word) != kRuleWords.end();
      rule += own ? std::string(word) : Device(word);
    }
  }
  return rule;
}

std::string Pseudonyms::Path(std::string_view path) const {
  std::string text;
  for (bool first = true;; first = false) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!first) text += '/';
    const bool stays =
        std::ranges::find(kPathParts, part) != kPathParts.end() || IsSmallNumber(part) || IsOfSlots(part);
    text += stays ? std::string(part) : Word("name", part);
    if (slash == path.size()) return text;
    path.remove_prefix(slash + 1);
  }
}

Pseudonyms::Bytes16 Pseudonyms::Gid(const Bytes16& raw, bool of_guid) const {
  if (!of_guid || AllZero(raw.data(), raw.size())) return Ipv6(raw);
  Bytes16 gid = raw;
  if (AllZero(&raw[6], 10)) {  // of an iWARP port: its MAC address
    Octets6 mac{};
    std::copy_n(raw.begin(), mac.size(), mac.begin());
    mac = MacBytes(mac);
    std::ranges::copy(mac, gid.begin());
    return gid;
  }
  if (gid[0] != 0xfe) Flip("ipv6", gid.data(), 16, 64);  // the prefix of the fabric
  std::uint64_t guid = 0;
  for (std::size_t i = 8; i < 16; ++i) guid = guid << 8 | raw[i];
  guid = Guid(guid);
  for (std::size_t i = 16; i > 8; --i, guid >>= 8) gid[i - 1] = static_cast<std::uint8_t>(guid);
  return gid;
}

}  // namespace rdmaready::bundle
