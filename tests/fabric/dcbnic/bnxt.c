// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "bnxt": what bnxt_en of Linux 6.12 does. It takes nothing
 * unless DCBX is the host's and IEEE; no PFC before ETS was set once, nor on more
 * classes than it has lossless queues; APP rows of any selector; no limits of
 * rate and no buffers to set.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

#define BNXT_LOSSLESS_QUEUES	2
#define BNXT_ENOTSUPP		524	/* its own word, not EOPNOTSUPP */

static int bnxt_may_set(struct dcbnic *nic, enum dcbnic_op op)
{
	const u8 wanted = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	int err;

	err = dcbnic_fail_next(nic, op);
	if (err)
		return err;
	return (nic->dcbx & wanted) == wanted ? 0 : -EINVAL;
}

/* Classes from the highest used one on are not looked at, as there. */
static int bnxt_check_ets(const struct dcbnic *nic, const struct ieee_ets *ets)
{
	int i, last_tc = 0, percent = 0;
	bool zero = false;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		if (ets->prio_tc[i] >= nic->ets.ets_cap)
			return -EINVAL;
		last_tc = max_t(int, last_tc, ets->prio_tc[i]);
	}
	for (i = 0; i < last_tc; i++) {
		switch (ets->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_STRICT:
			break;
		case IEEE_8021QAZ_TSA_ETS:
			percent += ets->tc_tx_bw[i];
			zero |= !ets->tc_tx_bw[i];
			break;
		default:
			return -BNXT_ENOTSUPP;
		}
	}
	if (percent > 100)
		return -EINVAL;
	return zero && percent == 100 ? -EINVAL : 0;
}

static int bnxt_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = bnxt_may_set(nic, DCBNIC_SET_ETS);
	if (!err)
		err = bnxt_check_ets(nic, ets);
	if (err)
		return err;
	nic->ets.cbs = ets->cbs;
	memcpy(nic->ets.tc_tx_bw, ets->tc_tx_bw, sizeof(ets->tc_tx_bw));
	memcpy(nic->ets.tc_rx_bw, ets->tc_rx_bw, sizeof(ets->tc_rx_bw));
	memcpy(nic->ets.tc_tsa, ets->tc_tsa, sizeof(ets->tc_tsa));
	memcpy(nic->ets.prio_tc, ets->prio_tc, sizeof(ets->prio_tc));
	nic->ets_known = true;
	return 0;
}

static int bnxt_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	u8 lossless_tcs = 0;
	int err, prio;

	err = bnxt_may_set(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	if (!nic->ets_known)
		return -EINVAL;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		if (pfc->pfc_en & BIT(prio))
			lossless_tcs |= BIT(nic->ets.prio_tc[prio]);
	if (hweight8(lossless_tcs) > BNXT_LOSSLESS_QUEUES)
		return -EINVAL;
	nic->pfc.pfc_en = pfc->pfc_en;
	nic->pfc.mbc = pfc->mbc;
	nic->pfc.delay = pfc->delay;
	return 0;
}

static int bnxt_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = bnxt_may_set(nic, DCBNIC_SET_APP);
	if (err)
		return err;
	if (app->selector == IEEE_8021QAZ_APP_SEL_DSCP &&
	    app->protocol >= DCBNIC_DSCPS)
		return -EINVAL;
	err = dcbnic_add_app(nic, app);
	if (!err)
		dcbnic_refresh_classifier(nic);
	return err;
}

static int bnxt_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = bnxt_may_set(nic, DCBNIC_DEL_APP);
	if (!err)
		err = dcbnic_remove_app(nic, app);
	if (!err)
		dcbnic_refresh_classifier(nic);
	return err;
}

/* Once the firmware manages it, Linux cannot take it back. */
static u8 bnxt_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX) ||
	    nic->dcbx & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	if (mode & DCB_CAP_DCBX_HOST &&
	    (mode & DCB_CAP_DCBX_VER_CEE || !(mode & DCB_CAP_DCBX_VER_IEEE)))
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

static void bnxt_init(struct dcbnic *nic)
{
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_cap = BNXT_LOSSLESS_QUEUES;
}

static u8 bnxt_dcbx_found(bool firmware_lldp)
{
	return (firmware_lldp ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST) |
	       DCB_CAP_DCBX_VER_IEEE;
}

/* Negotiated only on a link that negotiates its speed, and this one does not. */
static int bnxt_check_pause(const struct dcbnic *nic,
			    const struct ethtool_pauseparam *pause)
{
	return pause->autoneg ? -EINVAL : 0;
}

static const struct dcbnl_rtnl_ops bnxt_dcbnl_ops = {
	.ieee_getets	= dcbnic_getets,
	.ieee_setets	= bnxt_setets,
	.ieee_getpfc	= dcbnic_getpfc,
	.ieee_setpfc	= bnxt_setpfc,
	.ieee_setapp	= bnxt_setapp,
	.ieee_delapp	= bnxt_delapp,
	.getdcbx	= dcbnic_getdcbx,
	.setdcbx	= bnxt_setdcbx,
};

const struct dcbnic_personality dcbnic_bnxt = {
	.name		= "bnxt",
	.dcbnl_ops	= &bnxt_dcbnl_ops,
	.stats		= dcbnic_bnxt_stats,
	.init		= bnxt_init,
	.cnp		= { "rx_ecn_marked_pkts",
			    "tx_cnp_pkts", "rx_cnp_pkts" },
	.dcbx_found	= bnxt_dcbx_found,
	.check_pause	= bnxt_check_pause,
};
