// SPDX-License-Identifier: GPL-2.0
/* What ethtool shows: who we are, a configured link speed, the counters. */
#include <linux/ethtool.h>

#include "dcbnic.h"

#define DCBNIC_DEFAULT_SPEED_MBPS	SPEED_25000

void dcbnic_init_speed(struct dcbnic *nic)
{
	nic->speed_mbps = DCBNIC_DEFAULT_SPEED_MBPS;
}

static void dcbnic_get_drvinfo(struct net_device *dev,
			       struct ethtool_drvinfo *info)
{
	const struct dcbnic *nic = netdev_priv(dev);

	strscpy(info->driver, DCBNIC_DRIVER_NAME, sizeof(info->driver));
	strscpy(info->bus_info, netdev_name(nic->lower),
		sizeof(info->bus_info));
}

static int dcbnic_get_link_ksettings(struct net_device *dev,
				     struct ethtool_link_ksettings *settings)
{
	const struct dcbnic *nic = netdev_priv(dev);
	bool link = netif_carrier_ok(dev);

	settings->base.autoneg = AUTONEG_DISABLE;
	settings->base.port = PORT_OTHER;
	settings->base.speed = link ? nic->speed_mbps : SPEED_UNKNOWN;
	settings->base.duplex = link ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	return 0;
}

static bool dcbnic_is_port_speed(u32 speed_mbps)
{
	switch (speed_mbps) {
	case SPEED_1000:
	case SPEED_10000:
	case SPEED_25000:
	case SPEED_40000:
	case SPEED_50000:
	case SPEED_100000:
	case SPEED_200000:
	case SPEED_400000:
	case SPEED_800000:
		return true;
	default:
		return false;
	}
}

static int
dcbnic_set_link_ksettings(struct net_device *dev,
			  const struct ethtool_link_ksettings *settings)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (settings->base.autoneg != AUTONEG_DISABLE)
		return -EOPNOTSUPP;
	if (settings->base.duplex != DUPLEX_FULL ||
	    !dcbnic_is_port_speed(settings->base.speed))
		return -EINVAL;
	nic->speed_mbps = settings->base.speed;
	return 0;
}

/* mlx5's names; the order here is the order of the values below. */
static const char * const dcbnic_stat_formats[] = {
	"rx_prio%d_bytes", "rx_prio%d_packets",
	"tx_prio%d_bytes", "tx_prio%d_packets",
};

static int dcbnic_get_sset_count(struct net_device *dev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return DCBNIC_PRIOS * ARRAY_SIZE(dcbnic_stat_formats);
}

static void dcbnic_get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	int prio, i;

	if (sset != ETH_SS_STATS)
		return;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		for (i = 0; i < ARRAY_SIZE(dcbnic_stat_formats); i++)
			ethtool_sprintf(&data, dcbnic_stat_formats[i], prio);
}

static void dcbnic_get_ethtool_stats(struct net_device *dev,
				     struct ethtool_stats *stats, u64 *data)
{
	struct dcbnic_totals totals;
	int prio;

	dcbnic_read_totals(netdev_priv(dev), &totals);
	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		*data++ = totals.bytes[DCBNIC_RX][prio];
		*data++ = totals.packets[DCBNIC_RX][prio];
		*data++ = totals.bytes[DCBNIC_TX][prio];
		*data++ = totals.packets[DCBNIC_TX][prio];
	}
}

const struct ethtool_ops dcbnic_ethtool_ops = {
	.get_drvinfo		= dcbnic_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= dcbnic_get_link_ksettings,
	.set_link_ksettings	= dcbnic_set_link_ksettings,
	.get_sset_count		= dcbnic_get_sset_count,
	.get_strings		= dcbnic_get_strings,
	.get_ethtool_stats	= dcbnic_get_ethtool_stats,
};
