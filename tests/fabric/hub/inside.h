// SPDX-License-Identifier: Apache-2.0
// Functions that the parts of the switch share: the way in (ingress.c), the way out (egress.c), ports and
// settings (switch.c).
#ifndef FABRIC_HUB_INSIDE_H_
#define FABRIC_HUB_INSIDE_H_

#include "switch.h"

bool SwitchIsLossless(const struct Port* port, int priority);
// Whether the link partner of an ingress port is to stop.
void SwitchJudgePause(struct Port* port, int priority);
// A frame leaves the switch's memory. NULL: nothing waits.
struct Frame* SwitchDequeue(struct Switch* of, struct Port* egress, int priority);

#endif
