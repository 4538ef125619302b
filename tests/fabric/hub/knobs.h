// SPDX-License-Identifier: Apache-2.0
// Knobs: what the files of the settings share.
#ifndef FABRIC_HUB_KNOBS_H_
#define FABRIC_HUB_KNOBS_H_

#include "switch.h"
#include "text.h"

// `set` is false for a bad value, and sets nothing then. `show` adds the value alone.
struct Knob {
  const char* name;
  bool (*set)(struct Switch* of, int port, const char* value, uint64_t now_ns);
  void (*show)(const struct Switch* of, int port, struct Text* to);
};

enum { kLldpKnobCount = 4 };
extern const struct Knob kLldpKnobs[kLldpKnobCount];

// Priorities as "3,4" or "none".
void KnobShowBits(struct Text* to, uint8_t bits);
// Shares and strict classes as "0:50,3:50,7:strict". Classes that the value leaves out have a share of 0.
bool KnobReadEts(const char* value, uint8_t share[kPriorities], bool strict[kPriorities]);
void KnobShowEts(struct Text* to, const uint8_t share[kPriorities], const bool strict[kPriorities]);

#endif
