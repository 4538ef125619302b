// SPDX-License-Identifier: GPL-2.0
/*
 * The notification point of DCQCN: a RoCEv2 frame that arrives with CE is answered
 * by a congestion notification, at most one each cnp_us and flow. Those that arrive
 * are counted and end here: there is no reaction point. RDMA devices above us know
 * nothing of it, so the counters are under hw_counters in debugfs.
 */
#include <linux/crc32.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/seq_file.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "dcbnic.h"

#define DCBNIC_ROCE_PORT	4791
#define DCBNIC_OPCODE_CNP	0x81
#define DCBNIC_BECN		0x40
#define DCBNIC_CNP_DSCP		48
#define DCBNIC_BTH_BYTES	12
#define DCBNIC_CNP_BYTES	(DCBNIC_BTH_BYTES + 16)	/* and reserved bytes */
#define DCBNIC_ICRC_BYTES	4
#define DCBNIC_NETWORK_BYTES	sizeof(struct ipv6hdr)

/* What of a RoCEv2 frame its answer needs; one of the addresses' families. */
struct dcbnic_roce {
	bool is_ip6;
	struct iphdr ip4;
	struct ipv6hdr ip6;
	struct udphdr udp;
	u8 bth[DCBNIC_BTH_BYTES];
};

static bool dcbnic_read_roce(const struct sk_buff *skb, struct dcbnic_roce *roce)
{
	int offset;

	roce->is_ip6 = skb->protocol == htons(ETH_P_IPV6);
	if (roce->is_ip6) {
		if (skb_copy_bits(skb, 0, &roce->ip6, sizeof(roce->ip6)) ||
		    roce->ip6.nexthdr != IPPROTO_UDP)
			return false;
		offset = sizeof(roce->ip6);
	} else {
		if (skb->protocol != htons(ETH_P_IP) ||
		    skb_copy_bits(skb, 0, &roce->ip4, sizeof(roce->ip4)) ||
		    roce->ip4.protocol != IPPROTO_UDP || ip_is_fragment(&roce->ip4))
			return false;
		offset = roce->ip4.ihl * 4;
	}
	return !skb_copy_bits(skb, offset, &roce->udp, sizeof(roce->udp)) &&
	       roce->udp.dest == htons(DCBNIC_ROCE_PORT) &&
	       !skb_copy_bits(skb, offset + sizeof(roce->udp), roce->bth,
			      sizeof(roce->bth));
}

/* At most one for each flow and interval. Flows that share a slot share it. */
static bool dcbnic_is_time(struct dcbnic *nic, const struct dcbnic_roce *roce)
{
	u32 qpn = get_unaligned_be32(roce->bth + 4) & 0xffffff;
	u64 interval_ns = READ_ONCE(nic->flow.cnp_us) * (u64)NSEC_PER_USEC;
	u64 now_ns = ktime_get_ns(), last_ns;
	u32 from, *addresses;

	addresses = roce->is_ip6 ? (u32 *)roce->ip6.saddr.s6_addr32 :
				   (u32 *)&roce->ip4.saddr;
	from = jhash2(addresses, roce->is_ip6 ? 4 : 1, qpn);
	from = jhash_1word(roce->udp.source, from) % DCBNIC_CNP_SLOTS;
	last_ns = READ_ONCE(nic->cnp_ns[from]);
	if (last_ns && now_ns - last_ns < interval_ns)
		return false;
	return cmpxchg64(&nic->cnp_ns[from], last_ns, now_ns) == last_ns;
}

/* The invariant CRC: over what no hop changes, the rest taken as ones. */
static u32 dcbnic_icrc(const u8 *network, unsigned int network_bytes,
		       const u8 *udp, unsigned int bytes)
{
	u8 ones[8], copy[DCBNIC_NETWORK_BYTES + sizeof(struct udphdr) +
			 DCBNIC_BTH_BYTES];
	struct udphdr *masked = (struct udphdr *)(copy + network_bytes);
	unsigned int head = network_bytes + sizeof(*masked) + DCBNIC_BTH_BYTES;
	u32 crc;

	memset(ones, 0xff, sizeof(ones));
	memcpy(copy, network, network_bytes);
	memcpy(masked, udp, sizeof(*masked) + DCBNIC_BTH_BYTES);
	if (network_bytes == sizeof(struct ipv6hdr)) {
		memset(copy, 0xff, 4);
		copy[0] = 0x6f;
		((struct ipv6hdr *)copy)->hop_limit = 0xff;
	} else {
		((struct iphdr *)copy)->tos = 0xff;
		((struct iphdr *)copy)->ttl = 0xff;
		((struct iphdr *)copy)->check = 0xffff;
	}
	masked->check = 0xffff;
	((u8 *)(masked + 1))[4] = 0xff;
	crc = crc32_le(~0, ones, sizeof(ones));
	crc = crc32_le(crc, copy, head);
	return ~crc32_le(crc, udp + sizeof(*masked) + DCBNIC_BTH_BYTES,
			 bytes - sizeof(*masked) - DCBNIC_BTH_BYTES);
}

static unsigned int dcbnic_write_network(u8 *at, const struct dcbnic_roce *roce,
					 unsigned int behind)
{
	struct ipv6hdr *ip6 = (struct ipv6hdr *)at;
	struct iphdr *ip4 = (struct iphdr *)at;

	if (roce->is_ip6) {
		ip6_flow_hdr(ip6, DCBNIC_CNP_DSCP << 2, 0);
		ip6->payload_len = htons(behind);
		ip6->nexthdr = IPPROTO_UDP;
		ip6->hop_limit = 64;
		ip6->saddr = roce->ip6.daddr;
		ip6->daddr = roce->ip6.saddr;
		return sizeof(*ip6);
	}
	ip4->version = 4;
	ip4->ihl = sizeof(*ip4) / 4;
	ip4->tos = DCBNIC_CNP_DSCP << 2;
	ip4->tot_len = htons(sizeof(*ip4) + behind);
	ip4->frag_off = htons(IP_DF);
	ip4->ttl = 64;
	ip4->protocol = IPPROTO_UDP;
	ip4->saddr = roce->ip4.daddr;
	ip4->daddr = roce->ip4.saddr;
	ip_send_check(ip4);
	return sizeof(*ip4);
}

/* The queue pair is the one the marked frame was for: no NIC below rxe knows its peer. */
static void dcbnic_write_cnp(u8 *at, const struct dcbnic_roce *roce)
{
	struct udphdr *udp = (struct udphdr *)at;
	u8 *bth = (u8 *)(udp + 1);

	udp->source = roce->udp.source;
	udp->dest = htons(DCBNIC_ROCE_PORT);
	udp->len = htons(sizeof(*udp) + DCBNIC_CNP_BYTES + DCBNIC_ICRC_BYTES);
	bth[0] = DCBNIC_OPCODE_CNP;
	put_unaligned_be16(0xffff, bth + 2);
	bth[4] = DCBNIC_BECN;
	memcpy(bth + 5, roce->bth + 5, 3);
}

static void dcbnic_send_cnp(struct dcbnic *nic, const struct sk_buff *marked,
			    const struct dcbnic_roce *roce)
{
	const unsigned int behind = sizeof(struct udphdr) + DCBNIC_CNP_BYTES +
				    DCBNIC_ICRC_BYTES;
	unsigned int network_bytes;
	struct ethhdr *eth;
	struct sk_buff *skb;
	u8 *network, *udp;

	skb = alloc_skb(LL_RESERVED_SPACE(nic->dev) + ETH_HLEN + VLAN_HLEN +
			DCBNIC_NETWORK_BYTES + behind, GFP_ATOMIC);
	if (!skb)
		return;
	skb_reserve(skb, LL_RESERVED_SPACE(nic->dev) + VLAN_HLEN);
	skb_reset_mac_header(skb);
	eth = skb_put_zero(skb, ETH_HLEN);
	ether_addr_copy(eth->h_dest, eth_hdr(marked)->h_source);
	ether_addr_copy(eth->h_source, nic->dev->dev_addr);
	eth->h_proto = marked->protocol;
	skb->protocol = marked->protocol;
	network_bytes = roce->is_ip6 ? sizeof(struct ipv6hdr) :
				       sizeof(struct iphdr);
	skb_set_network_header(skb, ETH_HLEN);
	network = skb_put_zero(skb, network_bytes);
	dcbnic_write_network(network, roce, behind);
	udp = skb_put_zero(skb, behind);
	dcbnic_write_cnp(udp, roce);
	put_unaligned_le32(dcbnic_icrc(network, network_bytes, udp,
				       behind - DCBNIC_ICRC_BYTES),
			   udp + behind - DCBNIC_ICRC_BYTES);
	if (skb_vlan_tag_present(marked))
		__vlan_hwaccel_put_tag(skb, marked->vlan_proto,
				       marked->vlan_tci);
	skb->dev = nic->dev;
	atomic64_inc(&nic->events[DCBNIC_PORT_TX_CNP][0]);
	dev_queue_xmit(skb);
}

/* Answers a frame that came with CE. Whether the frame is for the NIC alone. */
bool dcbnic_notify(struct dcbnic *nic, const struct sk_buff *skb)
{
	struct dcbnic_roce roce;
	u8 field;

	if (likely(!READ_ONCE(nic->flow.cnp_us)) || !dcbnic_read_roce(skb, &roce))
		return false;
	if (roce.bth[0] == DCBNIC_OPCODE_CNP) {
		atomic64_inc(&nic->events[DCBNIC_PORT_RX_CNP][0]);
		return true;
	}
	field = roce.is_ip6 ? ipv6_get_dsfield(&roce.ip6) :
			      ipv4_get_dsfield(&roce.ip4);
	if (!INET_ECN_is_ce(field))
		return false;
	atomic64_inc(&nic->events[DCBNIC_PORT_RX_CE][0]);
	if (dcbnic_is_time(nic, &roce))
		dcbnic_send_cnp(nic, skb, &roce);
	return false;
}

/* Under the names that the RDMA driver of the personality has. */
void dcbnic_show_cnp(struct seq_file *file, const struct dcbnic *nic)
{
	const struct dcbnic_cnp_names *names = &nic->personality->cnp;

	seq_printf(file, "%s %llu\n%s %llu\n%s %llu\n",
		   names->marked, dcbnic_events(nic, DCBNIC_PORT_RX_CE, 0),
		   names->sent, dcbnic_events(nic, DCBNIC_PORT_TX_CNP, 0),
		   names->handled, dcbnic_events(nic, DCBNIC_PORT_RX_CNP, 0));
}
