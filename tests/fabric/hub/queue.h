// SPDX-License-Identifier: Apache-2.0
// Frames that wait for one egress port and priority, in order.
#ifndef FABRIC_HUB_QUEUE_H_
#define FABRIC_HUB_QUEUE_H_

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Queue {
  struct Frame *head, *tail;
  uint32_t frames, bytes;
};

void QueuePush(struct Queue* queue, struct Frame* frame);
// NULL when it is empty.
struct Frame* QueuePop(struct Queue* queue);

#ifdef __cplusplus
}
#endif
#endif
