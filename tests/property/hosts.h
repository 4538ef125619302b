// SPDX-License-Identifier: Apache-2.0
// Every host of tests/fixtures, described or recorded, as a recording.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectors/recording/recording.h"

namespace rdmaready::property {

struct Host {
  std::string name{};  // of its folder
  Recording recording{};
};

// In the order of their names. Throws std::runtime_error where one cannot be read. Blocks on file access.
std::vector<Host> Hosts();

// How much a run tries: all of it where the environment says RDMAREADY_PROPERTY=all.
struct Share {
  bool all = false;
  std::size_t profile_stride = 3;
  std::size_t question_stride = 7;
};
Share ShareToTry();

}  // namespace rdmaready::property
