// SPDX-License-Identifier: Apache-2.0
// The memory of a daemon that waits.
#pragma once

namespace rdmaready {

// Gives back what the process has mapped of programs and libraries and never wrote to, and what the allocator
// holds and nobody uses. The kernel keeps such pages in its cache of files while it has room, and maps one
// again when it is used. For a daemon that waits for minutes: start and check run through many pages that
// waiting needs none of. Any thread may call; the others go on, each page of theirs costs one fault.
void GiveBackMappedPages();

}  // namespace rdmaready
