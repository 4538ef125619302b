// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/hello.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/base/version.h"

namespace rdmaready::hub {
namespace {

bool IsWordOfHello(std::string_view text, bool may_be_empty) {
  if (text.empty()) return may_be_empty;
  return text.size() <= kMostWordBytes && IsPrintableName(text);
}

absl::Status CheckWords(const v1::AgentHello& hello) {
  const auto bad = [](const char* what) {
    return absl::InvalidArgumentError(fmt::format("hello: {} cannot be", what));
  };
  if (!IsWordOfHello(hello.hostname(), false)) return bad("hostname");
  if (!IsWordOfHello(hello.machine_id(), true)) return bad("machine_id");
  if (!IsWordOfHello(hello.boot_id(), true)) return bad("boot_id");
  if (!IsWordOfHello(hello.run_id(), false)) return bad("run_id");
  if (!IsWordOfHello(hello.agent_version(), true)) return bad("agent_version");
  return absl::OkStatus();
}

}  // namespace

bool IsHostId(std::string_view text) {
  constexpr std::size_t kFewest = 8;
  return text.size() >= kFewest && text.size() <= kMostIdBytes && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
         });
}

absl::StatusOr<std::string> HostIdOf(const v1::AgentHello& hello, const std::vector<SubjectName>* certificate) {
  if (const absl::Status words = CheckWords(hello); !words.ok()) return words;
  if (certificate == nullptr) {
    if (!IsHostId(hello.host_id())) return absl::InvalidArgumentError("hello: host_id cannot be");
    return hello.host_id();
  }
  std::optional<std::string> id;
  for (const SubjectName& name : *certificate) {
    if (name.kind != SubjectName::Kind::kUri || !name.text.starts_with(kHostUriPrefix)) continue;
    if (id) return absl::UnauthenticatedError("the certificate names several hosts");
    id = name.text.substr(sizeof kHostUriPrefix - 1);
  }
  if (!id || !IsHostId(*id))
    return absl::UnauthenticatedError(
        fmt::format("the certificate names no host of a fleet (URI {}ID): enrol this host", kHostUriPrefix));
  if (!hello.host_id().empty() && hello.host_id() != *id)
    return absl::PermissionDeniedError(
        fmt::format("the host says that it is {}, and its certificate that it is {}", hello.host_id(), *id));
  return *id;
}

}  // namespace rdmaready::hub
