// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/hello.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "api/base/ingest_revision.h"
#include "api/base/version.h"
#include "api/pki/identity.h"

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

absl::Status CheckRevision(const v1::AgentHello& hello) {
  const std::string why = WhyRevisionsDiffer(hello.api_revision(), kIngestRevision);
  return why.empty() ? absl::OkStatus() : absl::FailedPreconditionError(why);
}

absl::StatusOr<std::string> HostIdOf(const v1::AgentHello& hello, const std::vector<SubjectName>* certificate) {
  if (const absl::Status words = CheckWords(hello); !words.ok()) return words;
  if (certificate == nullptr) {
    if (!pki::IsHostId(hello.host_id())) return absl::InvalidArgumentError("hello: host_id cannot be");
    return hello.host_id();
  }
  std::vector<std::string> uris;
  for (const SubjectName& name : *certificate) {
    if (name.kind == SubjectName::Kind::kUri) uris.push_back(name.text);
  }
  const std::optional<std::string> id = pki::HostIdOf(uris);
  if (!id)
    return absl::UnauthenticatedError(fmt::format(
        "the certificate names no host of a fleet (URI {}): rdmaready pki issue host", pki::HostUri("ID")));
  if (!hello.host_id().empty() && hello.host_id() != *id)
    return absl::PermissionDeniedError(
        fmt::format("the host says that it is {}, and its certificate that it is {}", hello.host_id(), *id));
  return *id;
}

}  // namespace rdmaready::hub
