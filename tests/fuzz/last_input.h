// SPDX-License-Identifier: Apache-2.0
// Keeps the input that a process dies of: written to PROGRAM.failed in the working directory.
#pragma once

#include <cstddef>
#include <span>

namespace rdmaready::fuzz {

// From now on, a death by a signal, a demand or a sanitizer writes the last input down.
void KeepLastInput();

// `input` must live until the next call. Empty: nothing is played.
void Playing(std::span<const std::byte> input);

// Whether the code under test was compiled with sanitizers and coverage. Without them a run shows crashes and
// unmet demands alone.
bool Instrumented();

}  // namespace rdmaready::fuzz
