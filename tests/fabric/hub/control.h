// SPDX-License-Identifier: Apache-2.0
// Requests to the switch while it runs, a line each. A port is a number from 1, or `all`, which the knobs of
// the whole switch need.
//
//   set PORT KNOB VALUE   (settings.h)
//   show PORT             (settings, as lines that would set them)
//   counters PORT         (report.h)
//   seconds PORT          (the last kSeconds of one port)
//   reset PORT            (settings as at the start. Counters go on.)
//
// An answer is any number of lines and then "ok", or "error: REASON".
#ifndef FABRIC_HUB_CONTROL_H_
#define FABRIC_HUB_CONTROL_H_

#include "switch.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kMostRequestBytes = 1024,
  kMostAnswerBytes = 256 * 1024,  // all counters of all ports are below a quarter of it
};

// `line` is changed. The answer always ends in a whole line.
void ControlAnswer(struct Switch* of, char* line, uint64_t now_ns, struct Text* answer);

#ifdef __cplusplus
}
#endif
#endif
