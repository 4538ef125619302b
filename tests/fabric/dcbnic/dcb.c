// SPDX-License-Identifier: GPL-2.0
/*
 * The dcbnl operations: IEEE ETS, PFC and APP, configured by the host.
 * Called under RTNL; get_dcbx also under dcb_lock, so it must not sleep.
 */
#include <linux/dcbnl.h>
#include <net/dcbnl.h>

#include "dcbnic.h"

static int dcbnic_getets(struct net_device *dev, struct ieee_ets *ets)
{
	const struct dcbnic *nic = netdev_priv(dev);

	*ets = nic->ets;
	return 0;
}

static int dcbnic_validate_ets(struct net_device *dev,
			       const struct ieee_ets *ets, u8 ets_cap)
{
	unsigned int ets_percent = 0;
	bool any_ets_tc = false;
	int i;

	if (ets->cbs) {
		netdev_err(dev, "ETS: no credit-based shaper\n");
		return -EOPNOTSUPP;
	}
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		if (ets->prio_tc[i] >= ets_cap) {
			netdev_err(dev, "ETS: priority %d: no traffic class %u\n",
				   i, ets->prio_tc[i]);
			return -EINVAL;
		}
		switch (ets->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_STRICT:
		case IEEE_8021QAZ_TSA_VENDOR:
			break;
		case IEEE_8021QAZ_TSA_ETS:
			any_ets_tc = true;
			ets_percent += ets->tc_tx_bw[i];
			break;
		case IEEE_8021QAZ_TSA_CB_SHAPER:
			netdev_err(dev, "ETS: no credit-based shaper\n");
			return -EOPNOTSUPP;
		default:
			netdev_err(dev, "ETS: traffic class %d: unknown algorithm %u\n",
				   i, ets->tc_tsa[i]);
			return -EINVAL;
		}
	}
	if (any_ets_tc && ets_percent != 100) {
		netdev_err(dev, "ETS: bandwidths sum to %u%%, not 100%%\n",
			   ets_percent);
		return -EINVAL;
	}
	return 0;
}

static int dcbnic_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	u8 ets_cap = nic->ets.ets_cap;
	int err;

	err = dcbnic_validate_ets(dev, ets, ets_cap);
	if (err)
		return err;
	nic->ets = *ets;
	nic->ets.ets_cap = ets_cap;
	return 0;
}

static int dcbnic_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	const struct dcbnic *nic = netdev_priv(dev);

	*pfc = nic->pfc;
	return 0;
}

static int dcbnic_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (pfc->mbc > 1) {
		netdev_err(dev, "PFC: MACsec bypass is 0 or 1, not %u\n",
			   pfc->mbc);
		return -EINVAL;
	}
	nic->pfc.pfc_en = pfc->pfc_en;
	nic->pfc.mbc = pfc->mbc;
	nic->pfc.delay = pfc->delay;
	return 0;
}

/* Rows that would change nothing are refused rather than kept for show. */
static int dcbnic_validate_app(struct net_device *dev,
			       const struct dcb_app *app)
{
	if (app->priority >= DCBNIC_PRIOS)
		return -EINVAL;
	if (app->selector == IEEE_8021QAZ_APP_SEL_DSCP)
		return app->protocol < DCBNIC_DSCPS ? 0 : -EINVAL;
	if (app->selector == IEEE_8021QAZ_APP_SEL_ETHERTYPE && !app->protocol)
		return 0;
	netdev_err(dev, "APP: only DSCP rows and the default priority\n");
	return -EOPNOTSUPP;
}

static int dcbnic_setapp(struct net_device *dev, struct dcb_app *app)
{
	int err;

	err = dcbnic_validate_app(dev, app);
	if (err)
		return err;
	err = dcb_ieee_setapp(dev, app);
	if (err)
		return err;
	dcbnic_refresh_classifier(netdev_priv(dev));
	return 0;
}

static int dcbnic_delapp(struct net_device *dev, struct dcb_app *app)
{
	int err;

	err = dcb_ieee_delapp(dev, app);
	if (err)
		return err;
	dcbnic_refresh_classifier(netdev_priv(dev));
	return 0;
}

static u8 dcbnic_getdcbx(struct net_device *dev)
{
	const struct dcbnic *nic = netdev_priv(dev);

	return READ_ONCE(nic->dcbx);
}

/* No firmware agent and no CEE here. By contract 1 means refused. */
static u8 dcbnic_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);
	const u8 wanted = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

	if ((mode & ~DCB_CAP_DCBX_STATIC) != wanted)
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

const struct dcbnl_rtnl_ops dcbnic_dcbnl_ops = {
	.ieee_getets	= dcbnic_getets,
	.ieee_setets	= dcbnic_setets,
	.ieee_getpfc	= dcbnic_getpfc,
	.ieee_setpfc	= dcbnic_setpfc,
	.ieee_setapp	= dcbnic_setapp,
	.ieee_delapp	= dcbnic_delapp,
	.getdcbx	= dcbnic_getdcbx,
	.setdcbx	= dcbnic_setdcbx,
};

/* A new NIC: every class strict, every priority in class 0, PFC off. */
void dcbnic_init_dcb(struct dcbnic *nic)
{
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	nic->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}
