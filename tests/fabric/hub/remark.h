// SPDX-License-Identifier: Apache-2.0
// Rewrites the DSCP of frames that come in, after they were classified.
#ifndef FABRIC_HUB_REMARK_H_
#define FABRIC_HUB_REMARK_H_

#include "classify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Remark {
  bool odd_queue_pairs;  // of RoCEv2 alone, and only where the receiving queue pair has an odd number above 1
  uint8_t to_dscp[kDscps];  // by the DSCP of the frame
};

// Every frame keeps its DSCP.
void RemarkReset(struct Remark* remark);
// False where the frame stays as it is. The ECN bits stay, and the checksum of IPv4 is right.
bool RemarkFrame(const struct Remark* remark, struct Frame* frame, const struct Headers* headers);

#ifdef __cplusplus
}
#endif
#endif
