// SPDX-License-Identifier: Apache-2.0
// The way out: pauses for the link partner, LLDP, and then the frame whose turn it is.
#include <stddef.h>

#include "inside.h"

static struct Frame* Made(struct Port* port, const uint8_t* data, uint32_t bytes, uint64_t now_ns) {
  struct Frame* frame = FrameNew(data, bytes);
  if (!frame) return NULL;
  Add(&port->counters.made, bytes);
  RateSend(&port->rate, bytes, now_ns);
  return frame;
}

static struct Frame* MakePause(struct Port* port, uint64_t now_ns) {
  uint8_t frame[kPauseFrameBytes];
  uint8_t stops = port->pause_out.wanted, resumes = port->pause_out.sent & (uint8_t)~stops;
  PauseSend(&port->pause_out, port->address, now_ns, frame);
  port->counters.pause_frames_sent++;
  for (int i = 0; i < kPriorities; i++) {
    port->counters.of[i].pauses_sent += stops >> i & 1;
    port->counters.of[i].resumes_sent += resumes >> i & 1;
  }
  return Made(port, frame, sizeof(frame), now_ns);
}

static struct Frame* MakeLldp(const struct Switch* of, int number, struct Port* port, uint64_t now_ns) {
  uint8_t frame[kMostLldpBytes];
  struct Announced truth = AnnouncedTruth(&port->classifier, &port->scheduler, port->lossless);
  uint32_t bytes =
      LldpWrite(&port->lldp, &truth, of->address, port->address, number, of->most_frame_bytes, frame);
  port->lldp.next_ns = now_ns + (uint64_t)port->lldp.every_ms * 1000000;
  port->counters.lldp_sent++;
  return Made(port, frame, bytes, now_ns);
}

struct Frame* SwitchTransmit(struct Switch* of, int number, uint64_t now_ns) {
  struct Port* port = &of->ports[number];
  if (!port->has_link || port->cut || RateFreeNs(&port->rate) > now_ns) return NULL;
  if (PauseDueNs(&port->pause_out, &port->rate) <= now_ns) return MakePause(port, now_ns);
  if (port->lldp.every_ms && port->lldp.next_ns <= now_ns) return MakeLldp(of, number, port, now_ns);

  uint8_t ready = 0;
  uint32_t head_bytes[kPriorities] = {0};
  for (int i = 0; i < kPriorities; i++) {
    const struct Frame* head = port->queues[i].head;
    if (!head || port->pause_in.until_ns[i] > now_ns) continue;
    ready |= (uint8_t)(1 << i);
    head_bytes[i] = head->bytes;
  }
  int priority = SchedulerPick(&port->scheduler, ready, head_bytes);
  if (priority < 0) return NULL;
  struct Frame* frame = SwitchDequeue(of, port, priority);
  Add(&port->counters.of[priority].out, frame->bytes);
  Add(&SecondAt(&port->counters, now_ns)->of[priority].out, frame->bytes);
  RateSend(&port->rate, frame->bytes, now_ns);
  return frame;
}

uint64_t SwitchWakesNs(const struct Switch* of, int number) {
  const struct Port* port = &of->ports[number];
  if (!port->has_link || port->cut) return UINT64_MAX;
  uint64_t wakes = PauseDueNs(&port->pause_out, &port->rate), free_ns = RateFreeNs(&port->rate);
  if (port->lldp.every_ms && port->lldp.next_ns < wakes) wakes = port->lldp.next_ns;
  for (int i = 0; i < kPriorities; i++) {
    if (port->queues[i].head && port->pause_in.until_ns[i] < wakes) wakes = port->pause_in.until_ns[i];
  }
  return wakes > free_ns ? wakes : free_ns;
}
