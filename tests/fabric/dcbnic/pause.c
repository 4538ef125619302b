// SPDX-License-Identifier: GPL-2.0
/*
 * Pause frames, both ways: of 802.1Qbb for the priorities that have PFC, and where
 * none has, of 802.3x for the whole link if "ethtool -A" has them on.
 */
#include <linux/etherdevice.h>
#include <linux/pkt_sched.h>
#include <linux/unaligned.h>

#include "dcbnic.h"

#define DCBNIC_PAUSE_BYTES	60	/* without the FCS */
#define DCBNIC_OPCODE_GLOBAL	0x0001
#define DCBNIC_OPCODE_PFC	0x0101
#define DCBNIC_MOST_QUANTA	0xffff

static const u8 dcbnic_pause_destination[ETH_ALEN] = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01
};

static void dcbnic_send_pause(struct dcbnic *nic, u16 opcode, u8 prios, u8 stops)
{
	struct sk_buff *skb;
	struct ethhdr *eth;
	u8 *data;
	int prio;

	skb = alloc_skb(LL_RESERVED_SPACE(nic->lower) + DCBNIC_PAUSE_BYTES,
			GFP_ATOMIC);
	if (!skb)
		return;
	skb_reserve(skb, LL_RESERVED_SPACE(nic->lower));
	skb_reset_mac_header(skb);
	eth = skb_put_zero(skb, DCBNIC_PAUSE_BYTES);
	ether_addr_copy(eth->h_dest, dcbnic_pause_destination);
	ether_addr_copy(eth->h_source, nic->dev->dev_addr);
	eth->h_proto = htons(ETH_P_PAUSE);
	data = (u8 *)(eth + 1);
	put_unaligned_be16(opcode, data);
	if (opcode == DCBNIC_OPCODE_GLOBAL) {
		put_unaligned_be16(stops ? DCBNIC_MOST_QUANTA : 0, data + 2);
	} else {
		put_unaligned_be16(prios, data + 2);
		for (prio = 0; prio < DCBNIC_PRIOS; prio++)
			put_unaligned_be16(stops & BIT(prio) ?
						   DCBNIC_MOST_QUANTA : 0,
					   data + 4 + 2 * prio);
	}
	skb->protocol = htons(ETH_P_PAUSE);
	skb->priority = TC_PRIO_CONTROL;
	skb->dev = nic->lower;
	dev_queue_xmit(skb);
}

static void dcbnic_count_stops(struct dcbnic *nic, u8 stops, u64 now_ns)
{
	struct dcbnic_stops *sent = &nic->stops;
	int prio;

	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		if (sent->prios & BIT(prio))
			dcbnic_count_pause_time(nic, DCBNIC_TX_PAUSE_US, prio,
						&sent->since_ns[prio], now_ns);
		else
			sent->since_ns[prio] = now_ns;
		if (stops & BIT(prio))
			atomic64_inc(&nic->events[DCBNIC_TX_PAUSE][prio]);
		else if (sent->prios & BIT(prio))
			atomic64_inc(&nic->events[DCBNIC_TX_PAUSE_TRANSITIONS][prio]);
	}
}

/*
 * Has the link partner stop these priorities and no others, as far as flow control
 * is on for them. Returns when the stop has to be renewed: after half its time.
 */
u64 dcbnic_stop_partner(struct dcbnic *nic, u8 stops, u64 now_ns)
{
	u64 renewal_ns = dcbnic_quanta_ns(nic, DCBNIC_MOST_QUANTA) / 2;
	struct dcbnic_stops *sent = &nic->stops;
	u8 lossless = READ_ONCE(nic->pfc.pfc_en);

	if (lossless)
		stops &= lossless;
	else if (!READ_ONCE(nic->pause.tx_pause))
		stops = 0;
	else if (stops)
		stops = 0xff;
	if (stops != sent->prios || (stops && sent->at_ns + renewal_ns <= now_ns)) {
		if (stops)
			sent->global = !lossless;
		if (sent->global) {
			dcbnic_send_pause(nic, DCBNIC_OPCODE_GLOBAL, 0, stops);
			atomic64_inc(&nic->events[DCBNIC_PORT_TX_PAUSE][0]);
		} else {
			dcbnic_send_pause(nic, DCBNIC_OPCODE_PFC,
					  stops | sent->prios, stops);
			dcbnic_count_stops(nic, stops, now_ns);
		}
		sent->prios = stops;
		sent->at_ns = now_ns;
	}
	return stops ? sent->at_ns + renewal_ns : U64_MAX;
}

static void dcbnic_receive_pfc(struct dcbnic *nic, const u8 *data)
{
	u8 prios = data[3];
	u16 quanta[DCBNIC_PRIOS];
	int prio;

	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		quanta[prio] = get_unaligned_be16(data + 4 + 2 * prio);
		if (prios & BIT(prio) && quanta[prio])
			atomic64_inc(&nic->events[DCBNIC_RX_PAUSE][prio]);
	}
	dcbnic_obey(nic, prios & READ_ONCE(nic->pfc.pfc_en), quanta);
}

static void dcbnic_receive_global(struct dcbnic *nic, const u8 *data)
{
	u16 quanta[DCBNIC_PRIOS];
	int prio;

	atomic64_inc(&nic->events[DCBNIC_PORT_RX_PAUSE][0]);
	if (READ_ONCE(nic->pfc.pfc_en) || !READ_ONCE(nic->pause.rx_pause))
		return;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		quanta[prio] = get_unaligned_be16(data + 2);
	dcbnic_obey(nic, 0xff, quanta);
}

/* A frame of MAC control, which ends here. */
void dcbnic_receive_control(struct dcbnic *nic, struct sk_buff *skb)
{
	u8 buffer[4 + 2 * DCBNIC_PRIOS];
	const u8 *data;

	data = skb_header_pointer(skb, 0, sizeof(buffer), buffer);
	if (data && get_unaligned_be16(data) == DCBNIC_OPCODE_PFC)
		dcbnic_receive_pfc(nic, data);
	else if (data && get_unaligned_be16(data) == DCBNIC_OPCODE_GLOBAL)
		dcbnic_receive_global(nic, data);
	consume_skb(skb);
}
