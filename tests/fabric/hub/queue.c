// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include <stddef.h>

void QueuePush(struct Queue* queue, struct Frame* frame) {
  frame->next = NULL;
  if (queue->tail) {
    queue->tail->next = frame;
  } else {
    queue->head = frame;
  }
  queue->tail = frame;
  queue->frames++;
  queue->bytes += frame->bytes;
}

struct Frame* QueuePop(struct Queue* queue) {
  struct Frame* frame = queue->head;
  if (!frame) return NULL;
  queue->head = frame->next;
  if (!queue->head) queue->tail = NULL;
  frame->next = NULL;
  queue->frames--;
  queue->bytes -= frame->bytes;
  return frame;
}
