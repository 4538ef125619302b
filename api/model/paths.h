// SPDX-License-Identifier: Apache-2.0
// Paths: the same transfer on every path between two hosts, each path alone and then all of them at once.
#pragma once

#include <string>
#include <vector>

#include "api/model/stress_flow.h"

namespace rdmaready {

// From a port of one host to a port of the other. No two paths of a run have a port in common.
struct TestedPath {
  std::string subject{};  // "mlx5_0/1 -> mlx5_0/1"
  StressFlow before{};    // alone, before all were tested at once
  StressFlow together{};
  StressFlow after{};  // alone again

  bool operator==(const TestedPath&) const = default;
};

// A port that none of the paths uses.
struct PortWithoutPath {
  std::string host{};  // as the caller named it
  std::string port{};  // "mlx5_1/1"
  std::string why{};

  bool operator==(const PortWithoutPath&) const = default;
};

struct PathsRun {
  std::string run_id{};
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  std::string case_name{};
  std::vector<TestedPath> paths{};  // not empty
  std::vector<PortWithoutPath> without{};

  bool operator==(const PathsRun&) const = default;
};

enum class PathsVerdict {
  kUnknown,  // the text says why
  kAddUp,    // all at once carry about the sum of what each carries alone
  kFallShort,
};

}  // namespace rdmaready
