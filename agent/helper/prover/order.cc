// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/prover/order.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "api/base/status.h"
#include "api/convert/records.h"
#include "api/model/probe_walk.h"

namespace rdmaready::helper {
namespace {

constexpr std::size_t kMostServerBytes = 253;  // of a name in the DNS
constexpr std::size_t kMostOrderVolumeBytes = 1024;
constexpr std::size_t kMostDeviceBytes = 64;
constexpr std::size_t kMostSecretBytes = 512;
constexpr std::size_t kMostLeftovers = 64;
constexpr std::array<std::pair<Protocol, std::string_view>, 4> kProtocolWords{
    {{Protocol::kSmb, "smb"}, {Protocol::kNvme, "nvme"}, {Protocol::kIser, "iser"}, {Protocol::kNfs, "nfs"}}};
constexpr std::array<std::string_view, 6> kNfsVersions{"", "3", "4", "4.0", "4.1", "4.2"};

std::string WordOf(Protocol protocol) {
  for (const auto& [known, word] : kProtocolWords) {
    if (known == protocol) return std::string(word);
  }
  return {};
}

bool IsPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

// Of a member that may be left out.
std::string TextUpTo(Arguments& arguments, const char* key, std::size_t most_bytes) {
  if (!arguments.Has(key)) return {};
  std::string text = arguments.Text(key);
  if (text.size() > most_bytes) arguments.Fail(fmt::format("\"{}\" is too long", key));
  return text;
}

std::string NameUpTo(Arguments& arguments, const char* key, std::size_t most_bytes) {
  std::string text = TextUpTo(arguments, key, most_bytes);
  if (!IsPrintable(text)) arguments.Fail(fmt::format("\"{}\" cannot be printed", key));
  return text;
}

Protocol ProtocolOf(Arguments& arguments) {
  const std::string word = arguments.Text("protocol");
  for (const auto& [protocol, known] : kProtocolWords) {
    if (known == word) return protocol;
  }
  arguments.Fail("no such protocol");
  return Protocol::kUnknown;
}

std::string AddressOf(Arguments& arguments, const char* key) {
  std::string address = NameUpTo(arguments, key, kMostServerBytes);
  if (!address.empty() && !IsNumericAddress(address)) arguments.Fail(fmt::format("\"{}\" is no address", key));
  return address;
}

// As one component of a path; never "." or "..".
std::string DeviceOf(Arguments& arguments) {
  std::string device = TextUpTo(arguments, "device", kMostDeviceBytes);
  const bool plain = std::ranges::all_of(device, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  });
  if (!plain || device.starts_with('.')) arguments.Fail("\"device\" is no device's name");
  return device;
}

}  // namespace

bool IsNumericAddress(const std::string& text) {
  const std::size_t zone = text.find('%');
  const std::string address = text.substr(0, zone);
  std::array<unsigned char, 16> raw{};
  if (zone == text.npos && ::inet_pton(AF_INET, address.c_str(), raw.data()) == 1) return true;
  if (::inet_pton(AF_INET6, address.c_str(), raw.data()) != 1) return false;
  if (zone == text.npos) return true;
  const std::string_view name = std::string_view(text).substr(zone + 1);
  return !name.empty() && name.size() < 16 && std::ranges::all_of(name, [](char letter) {
    return letter > ' ' && letter <= '~' && letter != ',' && letter != '/' && letter != '%' && letter != ']';
  });
}

Json ToJson(const ProofWish& wish) {
  return {{"protocol", WordOf(wish.protocol)},
          {"server", wish.server},
          {"port", wish.port_number},
          {"volume", wish.volume},
          {"credentials", wish.credentials}};
}

absl::StatusOr<ProofWish> DecodeWish(Arguments& arguments) {
  ProofWish wish{.protocol = ProtocolOf(arguments),
                 .server = NameUpTo(arguments, "server", kMostServerBytes),
                 .port_number = arguments.Unsigned<std::uint16_t>("port"),
                 .volume = NameUpTo(arguments, "volume", kMostOrderVolumeBytes),
                 .credentials = arguments.Flag("credentials")};
  RR_RETURN_IF_ERROR(arguments.status());
  return wish;
}

Json ToJson(const ProofOrder& order) {
  const KernelProof& proof = order.proof;
  Json json{{"protocol", WordOf(proof.protocol)},
            {"server", proof.server},
            {"address", proof.address},
            {"port", proof.port_number},
            {"local_address", proof.local_address},
            {"device", proof.device},
            {"device_port", proof.device_port},
            {"volume", proof.volume},
            {"version", proof.version},
            {"inquire", proof.inquire},
            {"limit_ms", order.limit.count()}};
  // A prover of an older version refuses what it does not know, and so a proof in production alone.
  if (order.limit_bytes_per_s > 0) json["limit_bytes_per_s"] = order.limit_bytes_per_s;
  if (proof.credentials.user_name.empty()) return json;
  json["user_name"] = recording::FromText(proof.credentials.user_name);
  json["password"] = recording::FromText(proof.credentials.password);
  json["domain"] = recording::FromText(proof.credentials.domain);
  return json;
}

absl::StatusOr<ProofOrder> DecodeOrder(Arguments& arguments) {
  ProofOrder order{.proof = {.protocol = ProtocolOf(arguments),
                             .server = NameUpTo(arguments, "server", kMostServerBytes),
                             .address = AddressOf(arguments, "address"),
                             .port_number = arguments.Unsigned<std::uint16_t>("port"),
                             .local_address = AddressOf(arguments, "local_address"),
                             .device = DeviceOf(arguments),
                             .device_port = arguments.Unsigned<std::uint8_t>("device_port"),
                             .volume = NameUpTo(arguments, "volume", kMostOrderVolumeBytes),
                             .version = NameUpTo(arguments, "version", kMostDeviceBytes),
                             .inquire = arguments.Flag("inquire"),
                             .credentials = {.user_name = TextUpTo(arguments, "user_name", kMostSecretBytes),
                                             .password = TextUpTo(arguments, "password", kMostSecretBytes),
                                             .domain = TextUpTo(arguments, "domain", kMostSecretBytes)}}};
  order.limit = std::chrono::milliseconds(arguments.Unsigned<std::uint32_t>("limit_ms"));
  if (arguments.Has("limit_bytes_per_s"))
    order.limit_bytes_per_s = arguments.Unsigned<std::uint64_t>("limit_bytes_per_s");
  if (order.proof.address.empty()) arguments.Fail("no address");
  if (std::ranges::find(kNfsVersions, order.proof.version) == kNfsVersions.end())
    arguments.Fail("\"version\" is none of NFS");
  if (order.limit > kMostProbeTime) arguments.Fail("\"limit_ms\" is more than a proof may take");
  RR_RETURN_IF_ERROR(arguments.status());
  return order;
}

Json ToJson(const ProofOutcome& outcome) {
  const std::string bytes = ToProto(outcome.result).SerializeAsString();
  Json leftovers = Json::array();
  for (std::size_t i = 0; i < std::min(outcome.leftovers.size(), kMostLeftovers); ++i)
    leftovers.push_back({{"line", recording::FromText(outcome.leftovers[i])}});
  return {{"done", outcome.done},
          {"result", recording::HexOf(std::as_bytes(std::span(bytes)))},
          {"leftovers", std::move(leftovers)}};
}

absl::StatusOr<ProofOutcome> ReadOutcome(const Json& answer) {
  recording::Reader members(answer);
  ProofOutcome outcome{.done = members.Flag("done")};
  const std::vector<std::byte> bytes = members.Bytes("result");
  outcome.leftovers =
      members.List<std::string>("leftovers", [](recording::Reader& line) { return line.Text("line"); });
  v1::ProbeResult result;
  if (!members.status().ok() || !result.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("its answer cannot be read");
  }
  outcome.result = FromProto(result);
  return outcome;
}

}  // namespace rdmaready::helper
