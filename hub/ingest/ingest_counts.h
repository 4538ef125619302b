// SPDX-License-Identifier: Apache-2.0
// IngestCounts: how often IngestService did which part of its work, since it was started.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rdmaready::hub {

struct IngestCounts {
  std::uint64_t reports = 0;    // all that came
  std::uint64_t unchanged = 0;  // of them, states that were kept already
  std::uint64_t facts_wanted = 0;
  std::uint64_t put_off = 0;
  std::uint64_t refused_streams = 0;
  std::uint64_t replaced_streams = 0;
  std::size_t streams = 0;
};

}  // namespace rdmaready::hub
