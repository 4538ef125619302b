// SPDX-License-Identifier: Apache-2.0
// From facts to what travels of them.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agent/report/report_client.h"
#include "api/model/facts.h"

namespace rdmaready::report {

// By zlib. kInternal: it cannot.
absl::StatusOr<std::string> Packed(const std::string& plain);

// `digest`: 64 hexadecimal digits. kInternal: no digest, or zlib cannot.
absl::StatusOr<std::shared_ptr<const HostState>> PackState(const Facts& facts, const std::string& digest,
                                                           std::int64_t read_unix_ns);

}  // namespace rdmaready::report
