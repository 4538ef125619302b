// SPDX-License-Identifier: Apache-2.0
// The way in: read, classify, learn, and queue at the ports that a frame goes to.
#include "ecn.h"
#include "inside.h"

// One frame, or one copy of it, for one egress port.
static void Enqueue(struct Switch* of, int from, int to, const struct Headers* headers, const uint8_t* data,
                    uint32_t bytes, int priority, uint64_t now_ns) {
  struct Port *ingress = &of->ports[from], *egress = &of->ports[to];
  struct Pool* pool = &ingress->pools[priority];
  struct Queue* queue = &egress->queues[priority];
  bool lossless = SwitchIsLossless(ingress, priority);
  if (egress->cut) {
    CountDrop(&egress->counters, priority, kDropCut, bytes, now_ns);
    return;
  }
  if (!lossless && (uint64_t)queue->bytes + bytes > egress->queue_limit[priority]) {
    CountDrop(&egress->counters, priority, kDropQueue, bytes, now_ns);
    return;
  }
  if (!PoolTake(&of->shared, pool, bytes, lossless)) {
    CountDrop(&ingress->counters, priority, lossless ? kDropHeadroom : kDropBuffer, bytes, now_ns);
    return;
  }
  struct Frame* frame = FrameNew(data, bytes);
  if (!frame) {
    PoolGive(&of->shared, pool, bytes);
    CountDrop(&ingress->counters, priority, kDropMemory, bytes, now_ns);
    return;
  }
  frame->in_port = (uint8_t)from;
  frame->priority = (uint8_t)priority;
  if (RemarkFrame(&ingress->remark, frame, headers))
    Add(&ingress->counters.of[priority].remarked, bytes);
  QueuePush(queue, frame);
  struct SecondOfPriority* second = &SecondAt(&egress->counters, now_ns)->of[priority];
  if (queue->bytes > second->most_queued_bytes) second->most_queued_bytes = queue->bytes;
  uint32_t over = egress->ecn_over[priority];
  if (over && queue->bytes > over && EcnMark(frame, headers)) {
    Add(&egress->counters.of[priority].marked, bytes);
    Add(&second->marked, bytes);
  }
  SwitchJudgePause(ingress, priority);
}

static void Forward(struct Switch* of, int from, const struct Headers* headers, const uint8_t* data,
                    uint32_t bytes, int priority, uint64_t now_ns) {
  struct Counters* counters = &of->ports[from].counters;
  int to = MacFind(&of->macs, data, now_ns), copies = 0;
  for (int i = 0; i < of->port_count; i++) {
    if (i == from || !of->ports[i].has_link || (to >= 0 && to != i)) continue;
    if (copies++ > 0) Add(&counters->of[priority].copied, bytes);
    Enqueue(of, from, i, headers, data, bytes, priority, now_ns);
  }
  if (copies == 0) CountDrop(counters, priority, kDropNowhere, bytes, now_ns);
}

static void ObeyControl(struct Port* port, const uint8_t* data, uint32_t bytes, uint64_t now_ns) {
  struct Counters* counters = &port->counters;
  uint8_t priorities = 0;
  uint16_t quanta[kPriorities];
  switch (PauseRead(data, bytes, &priorities, quanta)) {
    case kControlBad:
      counters->bad_control_received++;
      return;
    case kControlGlobal:
      counters->global_pauses_received++;
      return;
    case kControlPriorities:
      break;
  }
  counters->pause_frames_received++;
  uint8_t obeyed = PauseObey(&port->pause_in, &port->rate, port->lossless, priorities, quanta, now_ns);
  for (int i = 0; i < kPriorities; i++) {
    if (!(priorities >> i & 1) || quanta[i] == 0) continue;
    if (obeyed >> i & 1) {
      counters->of[i].pauses_obeyed++;
    } else {
      counters->of[i].pauses_ignored++;
    }
  }
}

void SwitchReceive(struct Switch* of, int number, const uint8_t* data, uint32_t bytes, uint64_t now_ns) {
  struct Port* port = &of->ports[number];
  struct Counters* counters = &port->counters;
  if (!port->has_link) return;
  struct Headers headers = ReadHeaders(data, bytes);
  int priority = Classify(&port->classifier, &headers);
  Add(&counters->of[priority].in, bytes);
  Add(&SecondAt(counters, now_ns)->of[priority].in, bytes);
  counters->double_tagged += headers.tags > 1;
  counters->bad_ip += headers.bad_ip;
  if (headers.cut) {
    CountDrop(counters, priority, kDropShort, bytes, now_ns);
  } else if (bytes > of->most_frame_bytes) {
    CountDrop(counters, priority, kDropLong, bytes, now_ns);
  } else if (port->cut) {
    CountDrop(counters, priority, kDropCut, bytes, now_ns);
  } else if (headers.type == kTypeControl && of->is_cable) {
    Forward(of, number, &headers, data, bytes, priority, now_ns);
  } else if (headers.type == kTypeControl) {
    Add(&counters->consumed, bytes);
    ObeyControl(port, data + headers.offset, bytes - headers.offset, now_ns);
  } else if (IsLinkLocal(data) && !of->floods_link_local) {
    Add(&counters->consumed, bytes);
  } else {
    MacLearn(&of->macs, data + kMacBytes, number, now_ns);
    Forward(of, number, &headers, data, bytes, priority, now_ns);
  }
}
