// SPDX-License-Identifier: Apache-2.0
// The MESSAGE_ID of each kind of event, by which the journal finds all of one kind, whatever they say:
// journalctl MESSAGE_ID=... A new kind of event gets a row and a number of its own (uuidgen | tr -d -); a row
// is never changed and its number never used again.
#pragma once

#include <span>
#include <string_view>

namespace rdmaready {

struct EventId {
  std::string_view name{};  // Event::name
  std::string_view id{};    // 128 bits, 32 lower case hexadecimal digits
};

// Sorted by name.
std::span<const EventId> EventIds();

// Empty: no such kind of event.
std::string_view MessageIdOf(std::string_view event_name);

}  // namespace rdmaready
