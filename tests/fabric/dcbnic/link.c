// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a dcbnic: made by "ip link add link LOWER type dcbnic", gone by
 * "ip link del", with its lower netdev, its netns, or the module.
 *
 * There is deliberately no upper/lower link and no IFLA_LINK in what is shown:
 * a program that looks at dcb0 must see a NIC, not a stack to walk down.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/rtnetlink.h>

#include "dcbnic.h"

static void dcbnic_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &dcbnic_netdev_ops;
	dev->ethtool_ops = &dcbnic_ethtool_ops;
	dev->priv_flags |= IFF_NO_QUEUE | IFF_LIVE_ADDR_CHANGE;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->lltx = true;
	dev->needs_free_netdev = true;
	/* The lower netdev's dev_queue_xmit linearises where its device must. */
	dev->features = NETIF_F_SG | NETIF_F_HIGHDMA;
	dev->hw_features = dev->features;
	dev->vlan_features = dev->features;
}

static int dcbnic_validate(struct nlattr *tb[], struct nlattr *data[],
			   struct netlink_ext_ack *extack)
{
	if (!tb[IFLA_ADDRESS])
		return 0;
	if (nla_len(tb[IFLA_ADDRESS]) != ETH_ALEN)
		return -EINVAL;
	if (!is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS])))
		return -EADDRNOTAVAIL;
	return 0;
}

static int dcbnic_check_lower(const struct net_device *lower,
			      struct netlink_ext_ack *extack)
{
	if (lower->type != ARPHRD_ETHER || lower->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "the lower device must be Ethernet");
		return -EINVAL;
	}
	if (lower->netdev_ops == &dcbnic_netdev_ops) {
		NL_SET_ERR_MSG(extack, "a dcbnic cannot stand on a dcbnic");
		return -EINVAL;
	}
	if (netdev_is_rx_handler_busy((struct net_device *)lower)) {
		NL_SET_ERR_MSG(extack, "the lower device is in use already");
		return -EBUSY;
	}
	return 0;
}

static int dcbnic_newlink(struct net *src_net, struct net_device *dev,
			  struct nlattr *tb[], struct nlattr *data[],
			  struct netlink_ext_ack *extack)
{
	struct dcbnic *nic = netdev_priv(dev);
	struct net_device *lower;
	int err;

	if (!tb[IFLA_LINK]) {
		NL_SET_ERR_MSG(extack, "the lower device is missing (link DEV)");
		return -EINVAL;
	}
	lower = __dev_get_by_index(src_net, nla_get_u32(tb[IFLA_LINK]));
	if (!lower)
		return -ENODEV;
	err = dcbnic_check_lower(lower, extack);
	if (err)
		return err;

	nic->dev = dev;
	nic->lower = lower;
	dcbnic_drain_init(nic);
	dcbnic_hold_init(nic);
	dcbnic_become(nic, "plain");
	dcbnic_init_speed(nic);

	dev->min_mtu = lower->min_mtu;
	dev->max_mtu = lower->max_mtu;
	if (!tb[IFLA_MTU])
		dev->mtu = lower->mtu;
	if (dev->mtu > lower->mtu) {
		NL_SET_ERR_MSG(extack, "the lower device's MTU is smaller");
		return -EINVAL;
	}
	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_inherit(dev, lower);
	dev->needed_headroom = lower->needed_headroom;
	dev->needed_tailroom = lower->needed_tailroom;

	dcbnic_init_carrier(nic);
	err = register_netdevice(dev);
	if (err)
		return err;

	/* Last, so that no frame arrives before the netdev is registered. */
	err = netdev_rx_handler_register(lower, dcbnic_receive, nic);
	if (err) {
		unregister_netdevice(dev);
		return err;
	}
	dcbnic_follow_carrier(nic);
	dcbnic_make_knobs(nic);
	return 0;
}

static void dcbnic_dellink(struct net_device *dev, struct list_head *head)
{
	struct dcbnic *nic = netdev_priv(dev);

	/* First, and it waits for readers: no frame finds a dying netdev. */
	netdev_rx_handler_unregister(nic->lower);
	unregister_netdevice_queue(dev, head);
}

static struct rtnl_link_ops dcbnic_link_ops __read_mostly = {
	.kind		= DCBNIC_DRIVER_NAME,
	.priv_size	= sizeof(struct dcbnic),
	.setup		= dcbnic_setup,
	.validate	= dcbnic_validate,
	.newlink	= dcbnic_newlink,
	.dellink	= dcbnic_dellink,
};

/* The dcbnic standing on this netdev, or NULL. RTNL. */
static struct dcbnic *dcbnic_on(const struct net_device *lower)
{
	if (rtnl_dereference(lower->rx_handler) != dcbnic_receive)
		return NULL;
	return rtnl_dereference(lower->rx_handler_data);
}

static int dcbnic_lower_event(struct dcbnic *nic, unsigned long event)
{
	LIST_HEAD(doomed);

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		dcbnic_follow_carrier(nic);
		break;
	case NETDEV_CHANGEMTU:
		if (nic->dev->mtu > nic->lower->mtu)
			dev_set_mtu(nic->dev, nic->lower->mtu);
		break;
	case NETDEV_UNREGISTER:
		/* Also sent when the lower netdev only moves to another netns. */
		if (nic->lower->reg_state != NETREG_UNREGISTERING)
			break;
		dcbnic_dellink(nic->dev, &doomed);
		unregister_netdevice_many(&doomed);
		break;
	case NETDEV_PRE_TYPE_CHANGE:
		return NOTIFY_BAD;
	}
	return NOTIFY_DONE;
}

static int dcbnic_event(struct notifier_block *unused, unsigned long event,
			void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct dcbnic *nic;

	/* A move to another netns emptied the APP table without telling us. */
	if (dev->netdev_ops == &dcbnic_netdev_ops) {
		if (event == NETDEV_REGISTER)
			dcbnic_refresh_classifier(netdev_priv(dev));
		return NOTIFY_DONE;
	}
	nic = dcbnic_on(dev);
	return nic ? dcbnic_lower_event(nic, event) : NOTIFY_DONE;
}

static struct notifier_block dcbnic_notifier __read_mostly = {
	.notifier_call = dcbnic_event,
};

static int __init dcbnic_start(void)
{
	int err;

	err = register_netdevice_notifier(&dcbnic_notifier);
	if (err)
		return err;
	dcbnic_make_root();
	err = rtnl_link_register(&dcbnic_link_ops);
	if (err) {
		dcbnic_remove_root();
		unregister_netdevice_notifier(&dcbnic_notifier);
	}
	return err;
}

static void __exit dcbnic_stop(void)
{
	rtnl_link_unregister(&dcbnic_link_ops);
	dcbnic_remove_root();
	unregister_netdevice_notifier(&dcbnic_notifier);
}

module_init(dcbnic_start);
module_exit(dcbnic_stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("DCB-capable NIC of the rdmaready virtual fabric");
MODULE_ALIAS_RTNL_LINK(DCBNIC_DRIVER_NAME);
