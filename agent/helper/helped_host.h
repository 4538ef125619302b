// SPDX-License-Identifier: Apache-2.0
// A host that is asked first by this process, and where that is not permitted by a helper. Without the helper
// the answer stays "not permitted", with words that say who could.
#pragma once

#include <memory>
#include <string_view>

#include "collectors/host_reader.h"

namespace rdmaready::helper {

// `host` is asked first. `directory` holds the helpers' sockets. Any thread may ask. A helper that does not
// answer costs its question only: at most five seconds, or five beyond the time that is listened for. An answer
// of a helper is taken as far as it answers the question.
std::shared_ptr<HostReader> HelpedHost(std::shared_ptr<HostReader> host, std::string_view directory);

}  // namespace rdmaready::helper
