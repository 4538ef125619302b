// SPDX-License-Identifier: GPL-2.0
/*
 * What the NIC does not send yet: frames of priorities that the link partner has
 * stopped, and behind them what they held up. Where wire_mbps is set, all frames
 * wait for their turn at that rate, so that no more than the frame in flight follows
 * a pause. The priorities that may send take turns, frame by frame.
 */
#include <linux/hrtimer.h>

#include "dcbnic.h"

#define DCBNIC_HOLD_BYTES	(4 << 20)	/* of each priority */

void dcbnic_send(struct dcbnic *nic, struct sk_buff *skb, u8 prio)
{
	unsigned int bytes = skb->len;

	skb->dev = nic->lower;
	if (likely(dev_queue_xmit(skb) == NET_XMIT_SUCCESS))
		dcbnic_count_frames(nic, DCBNIC_TX, prio, 1, bytes);
	else
		DEV_STATS_INC(nic->dev, tx_dropped);
}

static u8 dcbnic_may_send(const struct dcbnic_hold *hold)
{
	return hold->waiting & ~hold->stopped;
}

/* Sends what is due, and comes back for the rest. */
static void dcbnic_hold_run(struct dcbnic *nic, u64 now_ns)
{
	struct dcbnic_hold *hold = &nic->hold;
	u64 next_ns = U64_MAX;
	struct sk_buff *skb;
	int prio;

	while (dcbnic_may_send(hold) && hold->next_ns <= now_ns) {
		prio = dcbnic_next_in_turn(dcbnic_may_send(hold), &hold->turn);
		skb = __skb_dequeue(&hold->queue[prio]);
		hold->bytes[prio] -= skb->len;
		if (skb_queue_empty(&hold->queue[prio]))
			hold->waiting &= ~BIT(prio);
		hold->next_ns = dcbnic_after(hold->next_ns, now_ns, skb->len,
					     dcbnic_wire_mbps(nic));
		dcbnic_send(nic, skb, prio);
	}
	if (dcbnic_may_send(hold))
		next_ns = hold->next_ns;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		if (hold->stopped & BIT(prio))
			next_ns = min(next_ns, hold->until_ns[prio]);
	WRITE_ONCE(hold->busy, hold->waiting | hold->stopped);
	if (next_ns != U64_MAX)
		hrtimer_start(&hold->timer, ns_to_ktime(next_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

/* Takes the frame if it has to wait, or has no room to. */
bool dcbnic_hold_put(struct dcbnic *nic, struct sk_buff *skb, u8 prio)
{
	struct dcbnic_hold *hold = &nic->hold;
	bool full;

	spin_lock_bh(&hold->lock);
	if (!READ_ONCE(nic->flow.wire_mbps) &&
	    !((hold->stopped | hold->waiting) & BIT(prio))) {
		spin_unlock_bh(&hold->lock);
		return false;
	}
	full = hold->bytes[prio] + skb->len > DCBNIC_HOLD_BYTES;
	if (!full) {
		__skb_queue_tail(&hold->queue[prio], skb);
		hold->bytes[prio] += skb->len;
		hold->waiting |= BIT(prio);
		dcbnic_hold_run(nic, ktime_get_ns());
	}
	spin_unlock_bh(&hold->lock);
	if (full) {
		DEV_STATS_INC(nic->dev, tx_dropped);
		atomic64_inc(&nic->events[DCBNIC_TX_DISCARDS][prio]);
		dev_kfree_skb_any(skb);
	}
	return true;
}

static void dcbnic_end_stop(struct dcbnic *nic, int prio, u64 now_ns)
{
	struct dcbnic_hold *hold = &nic->hold;

	dcbnic_count_pause_time(nic, DCBNIC_RX_PAUSE_US, prio,
				&hold->since_ns[prio], now_ns);
	atomic64_inc(&nic->events[DCBNIC_RX_PAUSE_TRANSITIONS][prio]);
	hold->stopped &= ~BIT(prio);
}

static void dcbnic_stop(struct dcbnic *nic, int prio, u16 quanta, u64 now_ns)
{
	struct dcbnic_hold *hold = &nic->hold;

	if (hold->stopped & BIT(prio))
		dcbnic_count_pause_time(nic, DCBNIC_RX_PAUSE_US, prio,
					&hold->since_ns[prio], now_ns);
	else
		hold->since_ns[prio] = now_ns;
	hold->stopped |= BIT(prio);
	hold->until_ns[prio] = now_ns + dcbnic_quanta_ns(nic, quanta);
}

/* The link partner says for how long each of these priorities is to stop; 0: go on. */
void dcbnic_obey(struct dcbnic *nic, u8 prios, const u16 *quanta)
{
	struct dcbnic_hold *hold = &nic->hold;
	u64 now_ns = ktime_get_ns();
	int prio;

	spin_lock_bh(&hold->lock);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		if (!(prios & BIT(prio)))
			continue;
		if (quanta[prio])
			dcbnic_stop(nic, prio, quanta[prio], now_ns);
		else if (hold->stopped & BIT(prio))
			dcbnic_end_stop(nic, prio, now_ns);
	}
	dcbnic_hold_run(nic, now_ns);
	spin_unlock_bh(&hold->lock);
}

static enum hrtimer_restart dcbnic_hold_fire(struct hrtimer *timer)
{
	struct dcbnic_hold *hold = container_of(timer, struct dcbnic_hold, timer);
	struct dcbnic *nic = container_of(hold, struct dcbnic, hold);
	u64 now_ns = ktime_get_ns();
	int prio;

	spin_lock(&hold->lock);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		if (hold->stopped & BIT(prio) && hold->until_ns[prio] <= now_ns)
			dcbnic_end_stop(nic, prio, now_ns);
	dcbnic_hold_run(nic, now_ns);
	spin_unlock(&hold->lock);
	return HRTIMER_NORESTART;
}

void dcbnic_hold_init(struct dcbnic *nic)
{
	int prio;

	spin_lock_init(&nic->hold.lock);
	hrtimer_init(&nic->hold.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	nic->hold.timer.function = dcbnic_hold_fire;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		__skb_queue_head_init(&nic->hold.queue[prio]);
}

/* Forgets what waits and what the partner said. */
void dcbnic_hold_flush(struct dcbnic *nic)
{
	struct dcbnic_hold *hold = &nic->hold;
	int prio;

	hrtimer_cancel(&hold->timer);
	spin_lock_bh(&hold->lock);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		__skb_queue_purge(&hold->queue[prio]);
	memset(hold->bytes, 0, sizeof(hold->bytes));
	hold->waiting = 0;
	hold->stopped = 0;
	WRITE_ONCE(hold->busy, 0);
	spin_unlock_bh(&hold->lock);
}
