// SPDX-License-Identifier: GPL-2.0
/*
 * Frames and bytes per priority, both ways; the netdev totals are their sum. And
 * events, which are rare.
 */
#include <linux/percpu.h>

#include "dcbnic.h"

int dcbnic_alloc_counters(struct dcbnic *nic)
{
	nic->counters = netdev_alloc_pcpu_stats(struct dcbnic_counters);
	return nic->counters ? 0 : -ENOMEM;
}

void dcbnic_free_counters(struct dcbnic *nic)
{
	free_percpu(nic->counters);
}

/* Softirqs off, as in the transmit and receive paths. */
void dcbnic_count_frames(struct dcbnic *nic, enum dcbnic_direction direction,
			 u8 prio, u32 packets, u32 bytes)
{
	struct dcbnic_counters *counters = this_cpu_ptr(nic->counters);
	struct dcbnic_count *count = &counters->count[direction][prio];

	u64_stats_update_begin(&counters->syncp);
	u64_stats_add(&count->packets, packets);
	u64_stats_add(&count->bytes, bytes);
	u64_stats_update_end(&counters->syncp);
}

void dcbnic_read_totals(const struct dcbnic *nic, struct dcbnic_totals *totals)
{
	int cpu, direction, prio;

	memset(totals, 0, sizeof(*totals));
	for_each_possible_cpu(cpu) {
		const struct dcbnic_counters *counters =
			per_cpu_ptr(nic->counters, cpu);

		for (direction = 0; direction < DCBNIC_DIRECTIONS; direction++) {
			for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
				const struct dcbnic_count *count =
					&counters->count[direction][prio];
				unsigned int start;
				u64 packets, bytes;

				do {
					start = u64_stats_fetch_begin(&counters->syncp);
					packets = u64_stats_read(&count->packets);
					bytes = u64_stats_read(&count->bytes);
				} while (u64_stats_fetch_retry(&counters->syncp, start));
				totals->packets[direction][prio] += packets;
				totals->bytes[direction][prio] += bytes;
			}
		}
	}
}

u64 dcbnic_events(const struct dcbnic *nic, enum dcbnic_event event, int prio)
{
	return atomic64_read(&nic->events[event][prio]);
}
