// SPDX-License-Identifier: Apache-2.0
// A question to lldpad of the running host, at its abstract socket.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/base/clock.h"

namespace rdmaready {

// As LldpadQuestion says; `socket_name` is abstract, and of this network namespace. An answer of anybody
// but root or ourselves is refused: every user may take an abstract name.
absl::StatusOr<std::string> AskLldpadAt(std::string_view socket_name, std::string_view question, Clock& clock);

}  // namespace rdmaready
