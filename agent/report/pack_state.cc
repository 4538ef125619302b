// SPDX-License-Identifier: Apache-2.0
#include "agent/report/pack_state.h"

#include <zlib.h>

#include "absl/strings/escaping.h"
#include "api/base/status.h"
#include "api/convert/facts.h"

namespace rdmaready::report {
namespace {

constexpr std::size_t kHexDigits = 64;

}  // namespace

absl::StatusOr<std::string> Packed(const std::string& plain) {
  ::uLongf size = ::compressBound(static_cast<uLong>(plain.size()));
  std::string packed(size, '\0');
  const int result = ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                                reinterpret_cast<const Bytef*>(plain.data()), static_cast<uLong>(plain.size()));
  if (result != Z_OK) return absl::InternalError("zlib cannot compress what a hub is told");
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

absl::StatusOr<std::shared_ptr<const HostState>> PackState(const Facts& facts, const std::string& digest,
                                                           std::int64_t read_unix_ns) {
  auto state = std::make_shared<HostState>();
  if (digest.size() != kHexDigits) return absl::InternalError("the state of this host has no digest");
  state->digest = absl::HexStringToBytes(digest);
  state->read_unix_ns = read_unix_ns;
  const std::string plain = ToProto(facts).SerializeAsString();
  state->facts_bytes = static_cast<std::uint32_t>(plain.size());
  RR_ASSIGN_OR_RETURN(state->facts_zlib, Packed(plain));
  return state;
}

}  // namespace rdmaready::report
