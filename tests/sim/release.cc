// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/release.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <vector>

#include "absl/strings/str_split.h"
#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/convert/digest.h"
#include "api/convert/facts.h"

namespace rdmaready::sim {

std::optional<Release> ParseRelease(std::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(absl::string_view(text.data(), text.size()), '.');
  Release release{};
  if (words.size() != release.size()) return std::nullopt;
  for (std::size_t i = 0; i < release.size(); ++i) {
    const auto number = ParseNumber<std::uint32_t>(words[i]);
    if (!number) return std::nullopt;
    release[i] = *number;
  }
  return release;
}

Release ThisRelease() { return ParseRelease(kVersion).value(); }

bool TellsPast(const Release& release) { return release >= ThisRelease(); }

absl::StatusOr<std::shared_ptr<const report::HostState>> StateBy(const Release& release, const Facts& facts,
                                                                 Clock& clock) {
  std::string digested = DigestedText(facts);
  if (release != ThisRelease()) digested += fmt::format("release {}", fmt::join(release, "."));
  RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(digested));
  RR_ASSIGN_OR_RETURN(std::shared_ptr<const report::HostState> packed,
                      report::PackState(facts, digest, UnixNs(clock)));
  if (release <= ThisRelease()) return packed;
  v1::Facts message = ToProto(facts);
  v1::Facts::GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(
      kFieldOfLater, "what a later release knows of this host");
  const std::string plain = message.SerializeAsString();
  auto state = std::make_shared<report::HostState>(*packed);
  state->facts_bytes = static_cast<std::uint32_t>(plain.size());
  RR_ASSIGN_OR_RETURN(state->facts_zlib, report::Packed(plain));
  return state;
}

}  // namespace rdmaready::sim
