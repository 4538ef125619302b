// SPDX-License-Identifier: Apache-2.0
// Counters of a port, by priority: since the start, and in each of the last seconds.
#ifndef FABRIC_HUB_COUNTERS_H_
#define FABRIC_HUB_COUNTERS_H_

#include "classify.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a frame was dropped. Where one frame goes to several ports, each copy counts.
enum Drop {
  kDropShort,     // at ingress: ends within its header
  kDropLong,      // at ingress: longer than the longest that is allowed
  kDropCut,       // at ingress or egress: the port is cut
  kDropNowhere,   // at ingress: no other port has a link, or the receiver is behind the port that it came from
  kDropBuffer,    // at ingress: neither the reserve nor the shared memory has room
  kDropHeadroom,  // at ingress: the link partner went on after a pause until its headroom was full
  kDropQueue,     // at egress: the queue of a lossy priority is full
  kDropNoLink,    // at egress: it waited for a port that lost its link
  kDropMemory,    // at ingress: the process has no memory
  kDrops,
};

const char* DropName(enum Drop drop);

struct Tally {
  uint64_t frames, bytes;
};

struct PriorityCounters {
  struct Tally in;
  struct Tally copied;  // at ingress: copies beyond the first of a frame that goes to several ports
  struct Tally out;
  struct Tally marked;    // at egress: with CE, by this switch
  struct Tally remarked;  // at ingress: copies that go on with another DSCP
  struct Tally dropped[kDrops];
  uint64_t pauses_sent;     // frames that stopped this priority of the link partner, with the renewals
  uint64_t resumes_sent;    // frames that let it go on
  uint64_t pauses_obeyed;   // frames of the link partner that stopped this priority
  uint64_t pauses_ignored;  // those for a priority that is not lossless here
};

enum { kSeconds = 64 };

struct SecondOfPriority {
  struct Tally in, out, dropped, marked;
  uint32_t most_queued_bytes;
};

struct Second {
  uint64_t number;  // since the start of the clock; UINT64_MAX: unused
  struct SecondOfPriority of[kPriorities];
};

struct Counters {
  struct PriorityCounters of[kPriorities];
  struct Tally consumed;  // MAC control, and link-local frames that the switch keeps
  struct Tally made;      // by the switch: pauses and LLDP
  uint64_t double_tagged, bad_ip;
  uint64_t pause_frames_sent, pause_frames_received, global_pauses_received, bad_control_received;
  uint64_t lldp_sent;
  struct Second seconds[kSeconds];
};

void CountersReset(struct Counters* counters);
// The row of this second. It takes the place of one that is kSeconds older.
struct Second* SecondAt(struct Counters* counters, uint64_t now_ns);
void Add(struct Tally* tally, uint32_t bytes);
void CountDrop(struct Counters* counters, int priority, enum Drop why, uint32_t bytes, uint64_t now_ns);

#ifdef __cplusplus
}
#endif
#endif
