// SPDX-License-Identifier: GPL-2.0
/*
 * The priority of a frame. Trust is implicit: with any DSCP row in the APP table
 * the port trusts DSCP, with none it trusts the VLAN tag's PCP.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/dcbnl.h>
#include <net/dsfield.h>

#include "dcbnic.h"

/* The PCP of the outermost tag, accelerated or in band, or -1. */
static int dcbnic_pcp(const struct sk_buff *skb, __be16 proto, int offset)
{
	const struct vlan_hdr *tag;
	struct vlan_hdr buffer;

	if (skb_vlan_tag_present(skb))
		return skb_vlan_tag_get_prio(skb);
	if (!eth_type_vlan(proto))
		return -1;
	tag = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!tag)
		return -1;
	return (ntohs(tag->h_vlan_TCI) & VLAN_PRIO_MASK) >> VLAN_PRIO_SHIFT;
}

/* The DSCP of the IP header behind any in-band tags, or -1. */
static int dcbnic_dscp(const struct sk_buff *skb, __be16 proto, int offset)
{
	union {
		struct vlan_hdr tag;
		struct iphdr ip4;
		struct ipv6hdr ip6;
	} buffer;
	const struct vlan_hdr *tag;
	const struct iphdr *ip4;
	const struct ipv6hdr *ip6;
	int depth;

	for (depth = 0; eth_type_vlan(proto) && depth < 2; depth++) {
		tag = skb_header_pointer(skb, offset, sizeof(*tag), &buffer);
		if (!tag)
			return -1;
		proto = tag->h_vlan_encapsulated_proto;
		offset += VLAN_HLEN;
	}
	if (proto == htons(ETH_P_IP)) {
		ip4 = skb_header_pointer(skb, offset, sizeof(*ip4), &buffer);
		return ip4 ? ipv4_get_dsfield(ip4) >> 2 : -1;
	}
	if (proto == htons(ETH_P_IPV6)) {
		ip6 = skb_header_pointer(skb, offset, sizeof(*ip6), &buffer);
		return ip6 ? ipv6_get_dsfield(ip6) >> 2 : -1;
	}
	return -1;
}

/*
 * @proto: the EtherType found right before @offset
 * @offset: of what follows that EtherType, from skb->data
 */
u8 dcbnic_classify(const struct dcbnic *nic, const struct sk_buff *skb,
		   __be16 proto, int offset)
{
	const struct dcbnic_classifier *classifier = &nic->classifier;
	int dscp, pcp;

	if (READ_ONCE(classifier->trust_dscp)) {
		dscp = dcbnic_dscp(skb, proto, offset);
		if (dscp >= 0)
			return READ_ONCE(classifier->dscp_to_prio[dscp]);
	} else {
		pcp = dcbnic_pcp(skb, proto, offset);
		if (pcp >= 0)
			return pcp;
	}
	return READ_ONCE(classifier->default_prio);
}

static void dcbnic_copy_own_map(struct dcbnic *nic)
{
	struct dcbnic_classifier *classifier = &nic->classifier;
	int dscp;

	for (dscp = 0; dscp < DCBNIC_DSCPS; dscp++)
		WRITE_ONCE(classifier->dscp_to_prio[dscp],
			   nic->dscp_to_prio[dscp]);
	WRITE_ONCE(classifier->default_prio, 0);
	WRITE_ONCE(classifier->trust_dscp, nic->trust_dscp);
}

/* Of several rows for one DSCP the highest priority holds. */
static void dcbnic_derive_from_app(struct dcbnic *nic)
{
	struct dcbnic_classifier *classifier = &nic->classifier;
	u8 defaults = dcb_ieee_getapp_default_prio_mask(nic->dev);
	u8 default_prio = defaults ? fls(defaults) - 1 : 0;
	struct dcb_ieee_app_dscp_map rows;
	bool any_row = false;
	int dscp;

	dcb_ieee_getapp_dscp_prio_mask_map(nic->dev, &rows);
	for (dscp = 0; dscp < DCBNIC_DSCPS; dscp++) {
		u8 prios = rows.map[dscp];

		any_row |= prios;
		WRITE_ONCE(classifier->dscp_to_prio[dscp],
			   prios ? fls(prios) - 1 : default_prio);
	}
	WRITE_ONCE(classifier->default_prio, default_prio);
	WRITE_ONCE(classifier->trust_dscp, any_row);
}

/* After each change of the APP table. RTNL. */
void dcbnic_refresh_classifier(struct dcbnic *nic)
{
	if (nic->personality->own_dscp_map)
		dcbnic_copy_own_map(nic);
	else
		dcbnic_derive_from_app(nic);
}
