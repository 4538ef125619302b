// SPDX-License-Identifier: Apache-2.0
// The identity of the running program, as its linker wrote it (NT_GNU_BUILD_ID): it changes with the code.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace rdmaready {

// Hexadecimal; empty where the program was linked without one. Any thread may call.
const std::string& BuildId();

// The same of `notes`, those of an ELF segment (elf(5), 4 bytes aligned). Reads within `notes` only.
std::string BuildIdOf(std::span<const std::byte> notes);

}  // namespace rdmaready
