// SPDX-License-Identifier: Apache-2.0
// The counters as text: a line for each port, for each of its priorities that saw a frame, and for each second.
#ifndef FABRIC_HUB_REPORT_H_
#define FABRIC_HUB_REPORT_H_

#include "switch.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

// Since the start.
void ReportPort(const struct Switch* of, int port, struct Text* to);
// The sums of all ports, the memory and the table of addresses.
void ReportSwitch(const struct Switch* of, uint64_t now_ns, struct Text* to);
// The last seconds of a port that saw a frame, the oldest first.
void ReportSeconds(const struct Switch* of, int port, uint64_t now_ns, struct Text* to);

#ifdef __cplusplus
}
#endif
#endif
