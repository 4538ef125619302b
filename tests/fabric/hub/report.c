// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t kSecondNs = 1000000000;

static void AddNumber(struct Text* to, const char* name, uint64_t number) {
  TextAdd(to, " %s=%" PRIu64, name, number);
}

static void AddTally(struct Text* to, const char* name, const struct Tally* tally) {
  TextAdd(to, " %s=%" PRIu64 " %s_bytes=%" PRIu64, name, tally->frames, name, tally->bytes);
}

static void ReportPriority(const struct Port* port, int number, int priority, struct Text* to) {
  const struct PriorityCounters* counters = &port->counters.of[priority];
  static const struct PriorityCounters kNothing;
  if (memcmp(counters, &kNothing, sizeof(kNothing)) == 0 && port->queues[priority].frames == 0) return;
  TextAdd(to, "port=%d priority=%d", number + 1, priority);
  AddTally(to, "in", &counters->in);
  AddTally(to, "copied", &counters->copied);
  AddTally(to, "out", &counters->out);
  AddTally(to, "queued", &(struct Tally){port->queues[priority].frames, port->queues[priority].bytes});
  AddTally(to, "marked", &counters->marked);
  AddTally(to, "remarked", &counters->remarked);
  struct Tally dropped = {0, 0};
  for (int i = 0; i < kDrops; i++) {
    dropped.frames += counters->dropped[i].frames;
    dropped.bytes += counters->dropped[i].bytes;
  }
  AddTally(to, "dropped", &dropped);
  for (int i = 0; i < kDrops; i++) {
    if (counters->dropped[i].frames)
      TextAdd(to, " dropped_%s=%" PRIu64, DropName((enum Drop)i), counters->dropped[i].frames);
  }
  AddNumber(to, "pool_bytes", PoolUsed(&port->pools[priority]));
  AddNumber(to, "pauses_sent", counters->pauses_sent);
  AddNumber(to, "resumes_sent", counters->resumes_sent);
  AddNumber(to, "pauses_obeyed", counters->pauses_obeyed);
  AddNumber(to, "pauses_ignored", counters->pauses_ignored);
  TextAdd(to, "\n");
}

void ReportPort(const struct Switch* of, int number, struct Text* to) {
  const struct Port* port = &of->ports[number];
  const struct Counters* counters = &port->counters;
  TextAdd(to, "port=%d link=%s", number + 1, port->has_link ? "up" : "down");
  AddTally(to, "consumed", &counters->consumed);
  AddTally(to, "made", &counters->made);
  AddNumber(to, "double_tagged", counters->double_tagged);
  AddNumber(to, "bad_ip", counters->bad_ip);
  AddNumber(to, "pause_frames_sent", counters->pause_frames_sent);
  AddNumber(to, "pause_frames_received", counters->pause_frames_received);
  AddNumber(to, "global_pauses_received", counters->global_pauses_received);
  AddNumber(to, "bad_control_received", counters->bad_control_received);
  AddNumber(to, "lldp_sent", counters->lldp_sent);
  TextAdd(to, "\n");
  for (int i = 0; i < kPriorities; i++) ReportPriority(port, number, i, to);
}

void ReportSwitch(const struct Switch* of, uint64_t now_ns, struct Text* to) {
  struct Totals totals = SwitchTotals(of);
  TextAdd(to, "switch second=%" PRIu64, now_ns / kSecondNs);
  AddTally(to, "in", &totals.in);
  AddTally(to, "copied", &totals.copied);
  AddTally(to, "out", &totals.out);
  AddTally(to, "dropped", &totals.dropped);
  AddTally(to, "consumed", &totals.consumed);
  AddTally(to, "queued", &totals.queued);
  AddNumber(to, "shared_bytes", of->shared.used);
  AddNumber(to, "macs", MacCount(&of->macs, now_ns));
  AddNumber(to, "macs_learned", of->macs.learned);
  AddNumber(to, "macs_moved", of->macs.moved);
  AddNumber(to, "macs_evicted", of->macs.evicted);
  TextAdd(to, "\n");
}

static void ReportSecond(const struct Second* second, int number, struct Text* to) {
  for (int i = 0; i < kPriorities; i++) {
    const struct SecondOfPriority* row = &second->of[i];
    static const struct SecondOfPriority kNothing;
    if (memcmp(row, &kNothing, sizeof(kNothing)) == 0) continue;
    TextAdd(to, "second=%" PRIu64 " port=%d priority=%d", second->number, number + 1, i);
    AddTally(to, "in", &row->in);
    AddTally(to, "out", &row->out);
    AddTally(to, "dropped", &row->dropped);
    AddTally(to, "marked", &row->marked);
    AddNumber(to, "most_queued_bytes", row->most_queued_bytes);
    TextAdd(to, "\n");
  }
}

void ReportSeconds(const struct Switch* of, int number, uint64_t now_ns, struct Text* to) {
  uint64_t last = now_ns / kSecondNs, first = last < kSeconds ? 0 : last - kSeconds + 1;
  for (uint64_t i = first; i <= last; i++) {
    const struct Second* second = &of->ports[number].counters.seconds[i % kSeconds];
    if (second->number == i) ReportSecond(second, number, to);
  }
}
