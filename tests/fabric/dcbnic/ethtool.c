// SPDX-License-Identifier: GPL-2.0
/* What ethtool shows and sets: who we are, speed, pause, FEC, counters. */
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
	snprintf(info->version, sizeof(info->version), "personality %s",
		 nic->personality->name);
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
	case SPEED_100:
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

static void dcbnic_get_pauseparam(struct net_device *dev,
				  struct ethtool_pauseparam *pause)
{
	const struct dcbnic *nic = netdev_priv(dev);
	bool hidden = nic->personality->pfc_hides_pause && nic->pfc.pfc_en;

	pause->autoneg = nic->pause.autoneg;
	pause->rx_pause = nic->pause.rx_pause && !hidden;
	pause->tx_pause = nic->pause.tx_pause && !hidden;
}

static int dcbnic_set_pauseparam(struct net_device *dev,
				 struct ethtool_pauseparam *pause)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_instead(nic, DCBNIC_SET_PAUSE);
	if (err)
		return min(err, 0);
	err = dcbnic_fail_next(nic, DCBNIC_SET_PAUSE);
	if (!err && nic->personality->check_pause)
		err = nic->personality->check_pause(nic, pause);
	if (err)
		return err;
	nic->pause.autoneg = !!pause->autoneg;
	nic->pause.rx_pause = !!pause->rx_pause;
	nic->pause.tx_pause = !!pause->tx_pause;
	if (nic->personality->took_pause)
		nic->personality->took_pause(nic);
	return dcbnic_after_set(nic, 0);
}

static void dcbnic_get_pause_stats(struct net_device *dev,
				   struct ethtool_pause_stats *stats)
{
	const struct dcbnic *nic = netdev_priv(dev);

	stats->tx_pause_frames = dcbnic_events(nic, DCBNIC_PORT_TX_PAUSE, 0);
	stats->rx_pause_frames = dcbnic_events(nic, DCBNIC_PORT_RX_PAUSE, 0);
}

static int dcbnic_get_fecparam(struct net_device *dev,
			       struct ethtool_fecparam *fec)
{
	const struct dcbnic *nic = netdev_priv(dev);

	fec->fec = nic->fec;
	fec->active_fec = nic->fec == ETHTOOL_FEC_AUTO ? ETHTOOL_FEC_RS :
							 nic->fec;
	return 0;
}

static int dcbnic_set_fecparam(struct net_device *dev,
			       struct ethtool_fecparam *fec)
{
	struct dcbnic *nic = netdev_priv(dev);

	switch (fec->fec) {
	case ETHTOOL_FEC_AUTO:
	case ETHTOOL_FEC_OFF:
	case ETHTOOL_FEC_RS:
	case ETHTOOL_FEC_BASER:
	case ETHTOOL_FEC_LLRS:
		nic->fec = fec->fec;
		return 0;
	default:
		return -EINVAL;
	}
}

static void dcbnic_get_fec_stats(struct net_device *dev,
				 struct ethtool_fec_stats *stats)
{
	const struct dcbnic *nic = netdev_priv(dev);

	stats->corrected_blocks.total =
		dcbnic_events(nic, DCBNIC_PORT_FEC_CORRECTED, 0);
	stats->uncorrectable_blocks.total =
		dcbnic_events(nic, DCBNIC_PORT_FEC_UNCORRECTABLE, 0);
}

static int dcbnic_get_tunable(struct net_device *dev,
			      const struct ethtool_tunable *tunable, void *data)
{
	const struct dcbnic *nic = netdev_priv(dev);

	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT ||
	    !nic->personality->has_pfc_prevention)
		return -EOPNOTSUPP;
	*(u16 *)data = nic->pfc_prevention_ms;
	return 0;
}

/* mlx5's bounds, and its own choice for "auto". */
static int dcbnic_set_tunable(struct net_device *dev,
			      const struct ethtool_tunable *tunable,
			      const void *data)
{
	struct dcbnic *nic = netdev_priv(dev);
	u16 wanted_ms = *(const u16 *)data;

	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT ||
	    !nic->personality->has_pfc_prevention)
		return -EOPNOTSUPP;
	if (wanted_ms == PFC_STORM_PREVENTION_AUTO)
		wanted_ms = 100;
	if (wanted_ms != PFC_STORM_PREVENTION_DISABLE &&
	    (wanted_ms < 80 || wanted_ms > 8000))
		return -EINVAL;
	nic->pfc_prevention_ms = wanted_ms;
	return 0;
}

static int dcbnic_get_sset_count(struct net_device *dev, int sset)
{
	const struct dcbnic *nic = netdev_priv(dev);

	if (sset == ETH_SS_STATS)
		return dcbnic_stat_count(nic);
	if (sset == ETH_SS_PRIV_FLAGS && nic->personality->has_lldp_flag)
		return 1;
	return -EOPNOTSUPP;
}

static void dcbnic_get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	if (sset == ETH_SS_STATS)
		dcbnic_stat_names(netdev_priv(dev), data);
	else if (sset == ETH_SS_PRIV_FLAGS)
		ethtool_puts(&data, "fw-lldp-agent");
}

static void dcbnic_get_ethtool_stats(struct net_device *dev,
				     struct ethtool_stats *stats, u64 *data)
{
	dcbnic_stat_values(netdev_priv(dev), data);
}

static u32 dcbnic_get_priv_flags(struct net_device *dev)
{
	const struct dcbnic *nic = netdev_priv(dev);

	return nic->firmware_lldp;
}

static int dcbnic_set_priv_flags(struct net_device *dev, u32 flags)
{
	struct dcbnic *nic = netdev_priv(dev);
	bool on = flags & 1;
	int err;

	err = dcbnic_instead(nic, DCBNIC_SET_FLAGS);
	if (err)
		return min(err, 0);
	err = dcbnic_fail_next(nic, DCBNIC_SET_FLAGS);
	if (!err && on != nic->firmware_lldp && nic->personality->turn_agent)
		err = nic->personality->turn_agent(nic, on);
	if (!err)
		dcbnic_set_firmware_lldp(nic, on);
	return dcbnic_after_set(nic, err);
}

const struct ethtool_ops dcbnic_ethtool_ops = {
	.get_drvinfo		= dcbnic_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= dcbnic_get_link_ksettings,
	.set_link_ksettings	= dcbnic_set_link_ksettings,
	.get_pauseparam		= dcbnic_get_pauseparam,
	.set_pauseparam		= dcbnic_set_pauseparam,
	.get_pause_stats	= dcbnic_get_pause_stats,
	.get_fecparam		= dcbnic_get_fecparam,
	.set_fecparam		= dcbnic_set_fecparam,
	.get_fec_stats		= dcbnic_get_fec_stats,
	.get_tunable		= dcbnic_get_tunable,
	.set_tunable		= dcbnic_set_tunable,
	.get_sset_count		= dcbnic_get_sset_count,
	.get_strings		= dcbnic_get_strings,
	.get_ethtool_stats	= dcbnic_get_ethtool_stats,
	.get_priv_flags		= dcbnic_get_priv_flags,
	.set_priv_flags		= dcbnic_set_priv_flags,
};
