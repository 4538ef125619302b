// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

namespace rdmaready::hub {

// Of one line of an answer's head; 0: it is none, or names a date. An hour at most.
std::chrono::seconds RetryAfterOf(std::string_view header);

}  // namespace rdmaready::hub
