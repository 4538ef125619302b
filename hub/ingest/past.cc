// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/past.h"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/records.h"
#include "hub/ingest/unpack.h"
#include "rdmaready/v1/ingest.pb.h"

namespace rdmaready::hub {

absl::StatusOr<std::vector<CaseBaseline>> ReadPast(std::string_view packed, std::uint64_t plain_bytes,
                                                   std::string_view digest) {
  RR_ASSIGN_OR_RETURN(const std::string plain, Unpack(packed, plain_bytes, kPastLimits));
  RR_ASSIGN_OR_RETURN(const std::string found, Sha256(plain));
  if (found != digest) return absl::InvalidArgumentError("a past that its digest is not of");
  return ParsePast(plain);
}

absl::StatusOr<std::vector<CaseBaseline>> ParsePast(std::string_view plain) {
  v1::Past message;
  if (!message.ParseFromArray(plain.data(), static_cast<int>(plain.size())))
    return absl::InvalidArgumentError("a past that is none");
  if (static_cast<std::size_t>(message.tests_size()) > kMostPastTests)
    return absl::InvalidArgumentError(
        fmt::format("a past of {} tests, {} are taken", message.tests_size(), kMostPastTests));
  std::vector<CaseBaseline> tests;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> once;
  for (const v1::CaseBaseline& one : message.tests()) {
    CaseBaseline test = FromProto(one);
    if (!IsPlausible(test)) return absl::InvalidArgumentError("a past with a test that cannot be");
    if (!once.emplace(test.port, test.case_name, test.role, test.peer).second)
      return absl::InvalidArgumentError("a past with one test twice");
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace rdmaready::hub
