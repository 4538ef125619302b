// SPDX-License-Identifier: Apache-2.0
// The seed corpus: sessions of two connections with each other, recorded as scripts of either end.
#pragma once

#include <cstddef>
#include <vector>

namespace rdmaready::smbdirect {

// Some dozens of scripts, of some KiB each; always the same ones.
std::vector<std::vector<std::byte>> RecordSessions();

}  // namespace rdmaready::smbdirect
