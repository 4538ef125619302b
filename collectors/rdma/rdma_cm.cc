// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/rdma_cm.h"

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {

Fact<GidType> DecodeRoceMode(std::string_view text) {
  const std::string mode = TrimRight(text);
  if (mode == "RoCE v2") return GidType::kRoceV2;
  if (mode == "IB/RoCE v1") return GidType::kRoceV1;
  return Missing{Missing::Kind::kFailed, "unknown RoCE mode \"" + mode + "\""};
}

Fact<std::uint8_t> DecodeRoceTos(std::string_view text) {
  const std::string number = TrimRight(text);
  if (const auto tos = ParseNumber<std::uint8_t>(number)) return *tos;
  return Missing{Missing::Kind::kFailed, "\"" + number + "\" is not a ToS of 0 to 255"};
}

RdmaCmDefaults ReadRdmaCmDefaults(HostReader& host, const std::string& device, std::uint32_t port,
                                  const Fact<Transport>& transport) {
  if (!transport) return {transport.missing(), transport.missing()};
  if (*transport != Transport::kRoce) {
    const Missing why{Missing::Kind::kUnsupported, "RoCE only"};
    return {why, why};
  }
  const absl::StatusOr<RdmaCmAnswer> answer = host.Ask(RdmaCmQuestion{device, port});
  if (!answer.ok()) return {MissingFrom(answer.status()), MissingFrom(answer.status())};
  return {DecodeRoceMode(answer->default_roce_mode), DecodeRoceTos(answer->default_roce_tos)};
}

}  // namespace rdmaready
