// SPDX-License-Identifier: Apache-2.0
#include "agent/report/pack_past.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/records.h"
#include "rdmaready/v1/ingest.pb.h"

namespace rdmaready::report {
namespace {

constexpr std::size_t kMostFrameBytes = 16;  // around a test, and the count

bool IsBefore(const CaseBaseline& a, const CaseBaseline& b) {
  if (a.last_unix_ns != b.last_unix_ns) return a.last_unix_ns > b.last_unix_ns;
  return std::tie(a.port, a.case_name, a.role, a.peer) < std::tie(b.port, b.case_name, b.role, b.peer);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const HostPast>> PackPast(std::vector<CaseBaseline> tests) {
  v1::Past message;
  message.set_remembered(static_cast<std::uint32_t>(tests.size()));
  std::ranges::sort(tests, IsBefore);
  std::size_t bytes = kMostFrameBytes;
  for (const CaseBaseline& test : tests) {
    if (static_cast<std::size_t>(message.tests_size()) == kMostPastTests) break;
    if (!IsPlausible(test)) continue;
    v1::CaseBaseline one = ToProto(test);
    bytes += one.ByteSizeLong() + kMostFrameBytes;
    if (bytes > kMostPastBytes) break;
    *message.add_tests() = std::move(one);
  }
  auto past = std::make_shared<HostPast>();
  const std::string plain = message.SerializeAsString();
  RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(plain));
  past->digest = absl::HexStringToBytes(digest);
  past->bytes = static_cast<std::uint32_t>(plain.size());
  past->tests = static_cast<std::size_t>(message.tests_size());
  RR_ASSIGN_OR_RETURN(past->zlib, Packed(plain));
  return past;
}

}  // namespace rdmaready::report
