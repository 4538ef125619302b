// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/resources.h"

#include <fmt/format.h>
#include <rdma/rdma_netlink.h>

#include <array>
#include <string>
#include <string_view>

#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

struct Kind {
  std::string_view name;
  std::uint64_t RdmaResources::*count;
  bool always;  // in every kernel that has RES_GET
};

constexpr std::array<Kind, 6> kKinds{{{"pd", &RdmaResources::pd, true},
                                      {"cq", &RdmaResources::cq, true},
                                      {"qp", &RdmaResources::qp, true},
                                      {"mr", &RdmaResources::mr, true},
                                      {"cm_id", &RdmaResources::cm_id, true},
                                      {"ctx", &RdmaResources::ctx, false}}};

}  // namespace

absl::StatusOr<RdmaResources> DecodeResources(std::span<const std::byte> payload, const RdmaDevice& device) {
  constexpr const char* kWhat = "RDMA resources";
  RR_ASSIGN_OR_RETURN(const Attributes top, Attributes::Parse(payload, kWhat));
  RR_ASSIGN_OR_RETURN(const std::uint32_t index, top.U32(RDMA_NLDEV_ATTR_DEV_INDEX));
  if (index != device.index) return Malformed(kWhat, "the answer is about another device");
  const auto nest = top.Find(RDMA_NLDEV_ATTR_RES_SUMMARY);
  if (!nest) return Malformed(kWhat, "no summary");
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(*nest, kWhat));

  RdmaResources resources;
  std::array<bool, kKinds.size()> told{};
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes entry, Attributes::Parse(row.value, kWhat));
    RR_ASSIGN_OR_RETURN(const std::string name, entry.Text(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME));
    RR_ASSIGN_OR_RETURN(const std::uint64_t count, entry.U64(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR));
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (kKinds[i].name != name) continue;
      resources.*kKinds[i].count = count;
      told[i] = true;
    }
  }
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].always && !told[i]) return Malformed(kWhat, "no number of " + std::string(kKinds[i].name));
  }
  return resources;
}

Fact<RdmaResources> ReadResources(HostReader& host, const RdmaDevice& device) {
  const NetlinkRequest request =
      RdmaRequest(RDMA_NLDEV_CMD_RES_GET, false, Payload().U32(RDMA_NLDEV_ATTR_DEV_INDEX, device.index));
  const absl::StatusOr<NetlinkMessage> answer = AskForOne(host, request, "RDMA resources");
  if (!answer.ok()) return MissingFrom(answer.status());
  const absl::StatusOr<RdmaResources> resources = DecodeResources(answer->payload, device);
  if (!resources.ok()) return MissingFrom(resources.status());
  return *resources;
}

absl::StatusOr<bool> DecodeNetnsShared(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes attributes, Attributes::Parse(payload, "RDMA system"));
  RR_ASSIGN_OR_RETURN(const std::uint8_t mode, attributes.U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE));
  if (mode > 1) return Malformed("RDMA system", fmt::format("network namespace mode {}", mode));
  return mode == 1;
}

Fact<bool> ReadNetnsShared(HostReader& host) {
  const absl::StatusOr<NetlinkMessage> answer =
      AskForOne(host, RdmaRequest(RDMA_NLDEV_CMD_SYS_GET, false, Payload()), "RDMA system");
  if (!answer.ok()) return MissingFrom(answer.status());
  const absl::StatusOr<bool> shared = DecodeNetnsShared(answer->payload);
  if (!shared.ok()) return MissingFrom(shared.status());
  return *shared;
}

Fact<bool> ReadPrivilegedQkey(HostReader& host) {
  constexpr int kPrivilegedQkeyMode = 96;  // RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, of Linux 6.7
  const absl::StatusOr<NetlinkMessage> answer =
      AskForOne(host, RdmaRequest(RDMA_NLDEV_CMD_SYS_GET, false, Payload()), "RDMA system");
  if (!answer.ok()) return MissingFrom(answer.status());
  const absl::StatusOr<Attributes> attributes = Attributes::Parse(answer->payload, "RDMA system");
  if (!attributes.ok()) return MissingFrom(attributes.status());
  if (!attributes->Find(kPrivilegedQkeyMode))
    return Missing{Missing::Kind::kUnsupported, "the kernel does not tell (before 6.7)"};
  const absl::StatusOr<std::uint8_t> mode = attributes->U8(kPrivilegedQkeyMode);
  if (!mode.ok()) return MissingFrom(mode.status());
  return *mode != 0;
}

}  // namespace rdmaready
