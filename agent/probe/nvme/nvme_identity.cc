// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_identity.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <random>
#include <string_view>

namespace rdmaready::nvme {
namespace {

constexpr std::string_view kUuidPrefix = "nqn.2014-08.org.nvmexpress:uuid:";

std::string FirstWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return file ? word : std::string();
}

std::optional<unsigned> Digit(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a' + 10);
  if (letter >= 'A' && letter <= 'F') return static_cast<unsigned>(letter - 'A' + 10);
  return std::nullopt;
}

std::optional<HostId> ParseUuid(std::string_view text) {
  HostId id{};
  std::size_t digits = 0;
  for (const char letter : text) {
    if (letter == '-') continue;
    const std::optional<unsigned> digit = Digit(letter);
    if (!digit || digits == 32) return std::nullopt;
    std::byte& byte = id[digits / 2];
    byte = (byte << 4) | static_cast<std::byte>(*digit);
    ++digits;
  }
  return digits == 32 ? std::optional(id) : std::nullopt;
}

HostId RandomUuid() {
  std::random_device random;
  HostId id{};
  for (std::byte& byte : id) byte = static_cast<std::byte>(random() & 0xff);
  id[6] = (id[6] & std::byte{0x0f}) | std::byte{0x40};  // RFC 9562, version 4
  id[8] = (id[8] & std::byte{0x3f}) | std::byte{0x80};
  return id;
}

}  // namespace

std::string HostIdText(const HostId& id) {
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(id[i]));
  }
  return text;
}

Identity ReadIdentity(const std::string& folder) {
  Identity identity{.host_name = FirstWord(folder + "/hostnqn"), .source = folder + "/hostnqn"};
  const std::optional<HostId> told = ParseUuid(FirstWord(folder + "/hostid"));
  if (IsName(identity.host_name)) {
    const std::string_view name = identity.host_name;
    const std::optional<HostId> in_name =
        name.starts_with(kUuidPrefix) ? ParseUuid(name.substr(kUuidPrefix.size())) : std::nullopt;
    identity.host_id = told ? *told : in_name ? *in_name : RandomUuid();
    return identity;
  }
  identity.host_id = RandomUuid();
  identity.host_name = std::string(kUuidPrefix) + HostIdText(identity.host_id);
  identity.source = "made for this probe";
  return identity;
}

}  // namespace rdmaready::nvme
