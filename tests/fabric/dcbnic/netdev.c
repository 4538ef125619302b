// SPDX-License-Identifier: GPL-2.0
/* The data path, and the netdev operations around it. */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/gso.h>

#include "dcbnic.h"

static netdev_tx_t dcbnic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct dcbnic *nic = netdev_priv(dev);
	__be16 proto = htons(ETH_P_802_3);
	u8 prio;

	if (unlikely(!netif_carrier_ok(dev))) {
		DEV_STATS_INC(dev, tx_carrier_errors);
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	if (likely(skb->len >= ETH_HLEN))
		proto = ((struct ethhdr *)skb->data)->h_proto;
	prio = dcbnic_classify(nic, skb, proto, ETH_HLEN);

	if (unlikely(READ_ONCE(nic->hold.busy) || READ_ONCE(nic->flow.wire_mbps)) &&
	    dcbnic_hold_put(nic, skb, prio))
		return NETDEV_TX_OK;
	dcbnic_send(nic, skb, prio);
	return NETDEV_TX_OK;
}

/*
 * GRO below us may have merged several frames into one skb; the counters tell
 * what was on the wire.
 */
static void dcbnic_count_received(struct dcbnic *nic, const struct sk_buff *skb,
				  u8 prio)
{
	unsigned int bytes = ETH_HLEN + skb->len;
	unsigned int packets = 1;

	if (skb_vlan_tag_present(skb))
		bytes += VLAN_HLEN;
	if (skb_is_gso(skb) && skb_shinfo(skb)->gso_segs > 1) {
		unsigned int headers = skb_transport_offset(skb) + ETH_HLEN;

		packets = skb_shinfo(skb)->gso_segs;
		headers += skb_is_gso_tcp(skb) ? tcp_hdrlen(skb)
					       : sizeof(struct udphdr);
		bytes += (packets - 1) * headers;
	}
	dcbnic_count_frames(nic, DCBNIC_RX, prio, packets, bytes);
}

static bool dcbnic_fits_mtu(const struct net_device *dev,
			    const struct sk_buff *skb)
{
	unsigned int limit = READ_ONCE(dev->mtu);

	if (eth_type_vlan(skb->protocol))
		limit += VLAN_HLEN;
	if (skb_is_gso(skb))
		return skb_gso_validate_network_len(skb, limit);
	return skb->len <= limit;
}

rx_handler_result_t dcbnic_receive(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb;
	struct dcbnic *nic = rcu_dereference(skb->dev->rx_handler_data);
	struct net_device *dev = nic->dev;
	u8 prio;

	/* The lower netdev's own loopback is not a frame from the wire. */
	if (unlikely(skb->pkt_type == PACKET_LOOPBACK))
		return RX_HANDLER_PASS;
	if (unlikely(!(dev->flags & IFF_UP) || !netif_carrier_ok(dev))) {
		kfree_skb(skb);
		return RX_HANDLER_CONSUMED;
	}
	/* As in real life: what exceeds the port's MTU does not come in. */
	if (unlikely(!dcbnic_fits_mtu(dev, skb))) {
		DEV_STATS_INC(dev, rx_errors);
		DEV_STATS_INC(dev, rx_length_errors);
		kfree_skb(skb);
		return RX_HANDLER_CONSUMED;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (unlikely(!skb)) {
		DEV_STATS_INC(dev, rx_dropped);
		return RX_HANDLER_CONSUMED;
	}
	*pskb = skb;
	if (unlikely(skb->protocol == htons(ETH_P_PAUSE))) {
		dcbnic_receive_control(nic, skb);
		return RX_HANDLER_CONSUMED;
	}

	prio = dcbnic_classify(nic, skb, skb->protocol, 0);
	dcbnic_count_received(nic, skb, prio);
	skb->dev = dev;
	/* The lower netdev judged by its own address; ours may differ. */
	if (!is_multicast_ether_addr(eth_hdr(skb)->h_dest))
		skb->pkt_type = ether_addr_equal(eth_hdr(skb)->h_dest,
						 dev->dev_addr) ?
				PACKET_HOST : PACKET_OTHERHOST;
	if (unlikely(READ_ONCE(nic->flow.drain_mbps) ||
		     READ_ONCE(nic->drain.waiting))) {
		dcbnic_drain_put(nic, skb, prio);
		return RX_HANDLER_CONSUMED;
	}
	if (dcbnic_notify(nic, skb)) {
		consume_skb(skb);
		return RX_HANDLER_CONSUMED;
	}
	return RX_HANDLER_ANOTHER;
}

static int dcbnic_init(struct net_device *dev)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_alloc_counters(nic);
	if (err)
		return err;
	err = dcbnic_add_devlink(nic);
	if (err) {
		dcbnic_free_counters(nic);
		return err;
	}
	netdev_hold(nic->lower, &nic->lower_tracker, GFP_KERNEL);
	return 0;
}

static void dcbnic_uninit(struct net_device *dev)
{
	struct dcbnic *nic = netdev_priv(dev);

	dcbnic_remove_devlink(nic);
	dcbnic_remove_knobs(nic);
	cancel_delayed_work_sync(&nic->link_back);
	dcbnic_drain_flush(nic);
	dcbnic_hold_flush(nic);
	netdev_put(nic->lower, &nic->lower_tracker);
	dcbnic_free_counters(nic);
}

/* Promiscuous while up: our addresses are filtered above the lower netdev. */
static int dcbnic_open(struct net_device *dev)
{
	struct dcbnic *nic = netdev_priv(dev);

	return dev_set_promiscuity(nic->lower, 1);
}

static int dcbnic_close(struct net_device *dev)
{
	struct dcbnic *nic = netdev_priv(dev);

	dcbnic_drain_flush(nic);
	dcbnic_hold_flush(nic);
	dev_set_promiscuity(nic->lower, -1);
	return 0;
}

/* The wire must carry it: the lower MTU is raised when needed, never lowered. */
static int dcbnic_change_mtu(struct net_device *dev, int mtu)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_instead(nic, DCBNIC_SET_MTU);
	if (err)
		return min(err, 0);
	err = dcbnic_fail_next(nic, DCBNIC_SET_MTU);
	if (!err && mtu > nic->lower->mtu)
		err = dev_set_mtu(nic->lower, mtu);
	if (!err)
		WRITE_ONCE(dev->mtu, mtu);
	return dcbnic_after_set(nic, err);
}

static void dcbnic_get_stats64(struct net_device *dev,
			       struct rtnl_link_stats64 *stats)
{
	struct dcbnic_totals totals;
	int prio;

	dcbnic_read_totals(netdev_priv(dev), &totals);
	netdev_stats_to_stats64(stats, &dev->stats);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		stats->rx_packets += totals.packets[DCBNIC_RX][prio];
		stats->rx_bytes += totals.bytes[DCBNIC_RX][prio];
		stats->tx_packets += totals.packets[DCBNIC_TX][prio];
		stats->tx_bytes += totals.bytes[DCBNIC_TX][prio];
	}
}

const struct net_device_ops dcbnic_netdev_ops = {
	.ndo_init		= dcbnic_init,
	.ndo_uninit		= dcbnic_uninit,
	.ndo_open		= dcbnic_open,
	.ndo_stop		= dcbnic_close,
	.ndo_start_xmit		= dcbnic_xmit,
	.ndo_change_mtu		= dcbnic_change_mtu,
	.ndo_get_stats64	= dcbnic_get_stats64,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};
