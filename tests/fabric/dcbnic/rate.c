// SPDX-License-Identifier: GPL-2.0
/* Time: what a frame or a pause takes at a rate, and whose turn it is. */
#include <linux/math64.h>

#include "dcbnic.h"

#define DCBNIC_WIRE_MBPS	1000	/* as the switch takes it of a port without a rate */
#define DCBNIC_QUANTUM_BITS	512
/* What a timer that fires late catches up at most. */
#define DCBNIC_CATCH_UP_NS	(10 * NSEC_PER_MSEC)

u32 dcbnic_wire_mbps(const struct dcbnic *nic)
{
	return READ_ONCE(nic->flow.wire_mbps) ?: DCBNIC_WIRE_MBPS;
}

/* When the next frame is due after one of so many bytes; at 0 Mb/s: now. */
u64 dcbnic_after(u64 due_ns, u64 now_ns, u32 bytes, u32 mbps)
{
	if (!mbps)
		return now_ns;
	due_ns = max(due_ns, now_ns - DCBNIC_CATCH_UP_NS);
	return due_ns + div_u64(bytes * 8 * 1000ULL, mbps);
}

u64 dcbnic_quanta_ns(const struct dcbnic *nic, u16 quanta)
{
	return div_u64(quanta * DCBNIC_QUANTUM_BITS * 1000ULL,
		       dcbnic_wire_mbps(nic));
}

/* The first of @prios, which are some, behind the one that was last. */
u8 dcbnic_next_in_turn(u8 prios, u8 *last)
{
	do {
		*last = (*last + 1) % DCBNIC_PRIOS;
	} while (!(prios & BIT(*last)));
	return *last;
}

/* Counts whole microseconds; the rest is counted the next time. */
void dcbnic_count_pause_time(struct dcbnic *nic, enum dcbnic_event event, int prio,
			     u64 *since_ns, u64 now_ns)
{
	u64 us = div_u64(now_ns - *since_ns, NSEC_PER_USEC);

	atomic64_add(us, &nic->events[event][prio]);
	*since_ns += us * NSEC_PER_USEC;
}
