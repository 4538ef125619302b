// SPDX-License-Identifier: GPL-2.0
/*
 * A host that takes frames at drain_mbps and no faster. Frames wait by priority, in
 * the buffer that dcbnl maps the priority to. What finds its buffer full is dropped;
 * a priority with PFC has the headroom in addition, and stops the link partner
 * before that. The priorities that wait take turns, frame by frame.
 */
#include <linux/hrtimer.h>
#include <net/inet_ecn.h>

#include "dcbnic.h"

#define DCBNIC_PRIO_BUFFER_BYTES	131072
#define DCBNIC_HEADROOM_KB		1024

struct dcbnic_drain_cb {
	u32 bytes;
	u8 buffer;
};

static struct dcbnic_drain_cb *dcbnic_drain_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct dcbnic_drain_cb) > sizeof(skb->cb));
	return (struct dcbnic_drain_cb *)skb->cb;
}

/* A driver that shows no buffers has one for each priority. */
static u8 dcbnic_buffer_of(const struct dcbnic *nic, u8 prio)
{
	if (!READ_ONCE(nic->buffer.total_size))
		return prio;
	return min_t(u8, READ_ONCE(nic->buffer.prio2buffer[prio]),
		     DCBX_MAX_BUFFERS - 1);
}

static u32 dcbnic_buffer_bytes(const struct dcbnic *nic, u8 buffer)
{
	if (!READ_ONCE(nic->buffer.total_size))
		return DCBNIC_PRIO_BUFFER_BYTES;
	return READ_ONCE(nic->buffer.buffer_size[buffer]);
}

static bool dcbnic_fits(const struct dcbnic *nic, u8 prio, u8 buffer, u32 bytes)
{
	u64 most = dcbnic_buffer_bytes(nic, buffer);

	if (READ_ONCE(nic->pfc.pfc_en) & BIT(prio))
		most += (READ_ONCE(nic->flow.headroom_kb) ?:
			 DCBNIC_HEADROOM_KB) * 1024ULL;
	return nic->drain.used[buffer] + bytes <= most;
}

/* By default a buffer stops the partner when half full, until a quarter is left. */
static void dcbnic_judge_buffer(struct dcbnic *nic, u8 buffer)
{
	struct dcbnic_drain *drain = &nic->drain;
	u64 size = dcbnic_buffer_bytes(nic, buffer);
	u64 xoff = READ_ONCE(nic->flow.xoff_kb) * 1024ULL ?: size / 2;
	u64 xon = READ_ONCE(nic->flow.xon_kb) * 1024ULL ?: size / 4;

	if (drain->used[buffer] && drain->used[buffer] >= xoff)
		drain->over |= BIT(buffer);
	else if (drain->used[buffer] <= xon)
		drain->over &= ~BIT(buffer);
}

/* Stops or releases the link partner as the buffers want it, and comes back. */
static void dcbnic_drain_settle(struct dcbnic *nic, u64 now_ns)
{
	struct dcbnic_drain *drain = &nic->drain;
	u64 next_ns = U64_MAX;
	u8 stops = 0;
	int prio;

	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		if (drain->over & BIT(dcbnic_buffer_of(nic, prio)))
			stops |= BIT(prio);
	next_ns = dcbnic_stop_partner(nic, stops, now_ns);
	if (drain->waiting)
		next_ns = min(next_ns, drain->next_ns);
	if (next_ns != U64_MAX)
		hrtimer_start(&drain->timer, ns_to_ktime(next_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

/* CE on a frame that makes its queue longer than ecn_kb, if its transport is ECT. */
static void dcbnic_mark(struct dcbnic *nic, struct sk_buff *skb, u8 prio, u32 bytes)
{
	u32 over_kb = READ_ONCE(nic->flow.ecn_kb);
	u8 ecn;

	if (!over_kb || nic->drain.bytes[prio] + bytes <= over_kb * 1024ULL)
		return;
	ecn = skb_get_dsfield(skb) & INET_ECN_MASK;
	if (ecn == INET_ECN_NOT_ECT || ecn == INET_ECN_CE ||
	    skb_ensure_writable(skb, min_t(unsigned int, skb->len, 40)))
		return;
	if (INET_ECN_set_ce(skb))
		atomic64_inc(&nic->events[DCBNIC_RX_MARKED][prio]);
}

/* Takes the frame. */
void dcbnic_drain_put(struct dcbnic *nic, struct sk_buff *skb, u8 prio)
{
	struct dcbnic_drain *drain = &nic->drain;
	struct dcbnic_drain_cb *cb = dcbnic_drain_cb(skb);
	u8 buffer = dcbnic_buffer_of(nic, prio);
	u32 bytes = ETH_HLEN + skb->len;

	spin_lock_bh(&drain->lock);
	if (!dcbnic_fits(nic, prio, buffer, bytes)) {
		atomic64_inc(&nic->events[DCBNIC_RX_DISCARDS][prio]);
		spin_unlock_bh(&drain->lock);
		kfree_skb(skb);
		return;
	}
	dcbnic_mark(nic, skb, prio, bytes);
	if (dcbnic_notify(nic, skb)) {
		spin_unlock_bh(&drain->lock);
		consume_skb(skb);
		return;
	}
	cb->bytes = bytes;
	cb->buffer = buffer;
	__skb_queue_tail(&drain->queue[prio], skb);
	drain->bytes[prio] += bytes;
	drain->used[buffer] += bytes;
	drain->most = max(drain->most, drain->used[buffer]);
	WRITE_ONCE(drain->waiting, drain->waiting | BIT(prio));
	dcbnic_judge_buffer(nic, buffer);
	dcbnic_drain_settle(nic, ktime_get_ns());
	spin_unlock_bh(&drain->lock);
}

/* The next frame, of the next priority in turn. */
static struct sk_buff *dcbnic_drain_take(struct dcbnic *nic)
{
	struct dcbnic_drain *drain = &nic->drain;
	u8 prio = dcbnic_next_in_turn(drain->waiting, &drain->turn);
	struct sk_buff *skb = __skb_dequeue(&drain->queue[prio]);
	struct dcbnic_drain_cb *cb = dcbnic_drain_cb(skb);

	drain->bytes[prio] -= cb->bytes;
	drain->used[cb->buffer] -= cb->bytes;
	if (skb_queue_empty(&drain->queue[prio]))
		WRITE_ONCE(drain->waiting, drain->waiting & ~BIT(prio));
	dcbnic_judge_buffer(nic, cb->buffer);
	return skb;
}

static enum hrtimer_restart dcbnic_drain_fire(struct hrtimer *timer)
{
	struct dcbnic_drain *drain = container_of(timer, struct dcbnic_drain, timer);
	struct dcbnic *nic = container_of(drain, struct dcbnic, drain);
	u64 now_ns = ktime_get_ns();
	struct sk_buff_head ready;
	struct sk_buff *skb;

	__skb_queue_head_init(&ready);
	spin_lock(&drain->lock);
	while (drain->waiting && drain->next_ns <= now_ns) {
		skb = dcbnic_drain_take(nic);
		drain->next_ns = dcbnic_after(drain->next_ns, now_ns,
					      dcbnic_drain_cb(skb)->bytes,
					      READ_ONCE(nic->flow.drain_mbps));
		__skb_queue_tail(&ready, skb);
	}
	dcbnic_drain_settle(nic, now_ns);
	spin_unlock(&drain->lock);
	while ((skb = __skb_dequeue(&ready)))
		netif_receive_skb(skb);
	return HRTIMER_NORESTART;
}

void dcbnic_drain_init(struct dcbnic *nic)
{
	int prio;

	spin_lock_init(&nic->drain.lock);
	hrtimer_init(&nic->drain.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	nic->drain.timer.function = dcbnic_drain_fire;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		__skb_queue_head_init(&nic->drain.queue[prio]);
}

/* Forgets what waits, and lets the link partner go on. */
void dcbnic_drain_flush(struct dcbnic *nic)
{
	struct dcbnic_drain *drain = &nic->drain;
	int prio;

	hrtimer_cancel(&drain->timer);
	spin_lock_bh(&drain->lock);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		__skb_queue_purge(&drain->queue[prio]);
	WRITE_ONCE(drain->waiting, 0);
	memset(drain->bytes, 0, sizeof(drain->bytes));
	memset(drain->used, 0, sizeof(drain->used));
	drain->over = 0;
	drain->most = 0;
	dcbnic_stop_partner(nic, 0, ktime_get_ns());
	spin_unlock_bh(&drain->lock);
}
