// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "hns3": what hns3 of Linux 6.12 does. Classes are strict or ETS, an
 * ETS class is in use and has a share, and a strict one has none. Willing always
 * reads on. PFC replaces the pause of the whole link for as long as it is on.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

static int hns3_check_ets(const struct ieee_ets *ets)
{
	int i, tcs = 0, percent = 0;
	bool any_ets = false;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		tcs = max_t(int, tcs, ets->prio_tc[i] + 1);
	if (tcs > IEEE_8021QAZ_MAX_TCS)
		return -EINVAL;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_STRICT)
			continue;
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS || i >= tcs ||
		    !ets->tc_tx_bw[i])
			return -EINVAL;
		percent += ets->tc_tx_bw[i];
		any_ets = true;
	}
	return any_ets && percent != 100 ? -EINVAL : 0;
}

static int hns3_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err, i;

	err = dcbnic_fail_next(nic, DCBNIC_SET_ETS);
	if (err)
		return err;
	if (!(nic->dcbx & DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	err = hns3_check_ets(ets);
	if (err)
		return err;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		nic->ets.prio_tc[i] = ets->prio_tc[i];
		nic->ets.tc_tsa[i] = ets->tc_tsa[i];
		nic->ets.tc_tx_bw[i] = ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS ?
				       ets->tc_tx_bw[i] : 0;
	}
	return 0;
}

/* Neither delay nor MACsec bypass is kept. */
static int hns3_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	bool was_on = nic->pfc.pfc_en;
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	if (!(nic->dcbx & DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	nic->pfc.pfc_en = pfc->pfc_en;
	if (pfc->pfc_en && !was_on) {
		nic->pause_before = nic->pause;
		memset(&nic->pause, 0, sizeof(nic->pause));
	} else if (!pfc->pfc_en && was_on) {
		nic->pause = nic->pause_before;
	}
	return 0;
}

static bool hns3_is_row(const struct dcb_app *app)
{
	return app->selector == IEEE_8021QAZ_APP_SEL_DSCP &&
	       app->protocol < DCBNIC_DSCPS && app->priority < DCBNIC_PRIOS;
}

static int hns3_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	struct dcb_app old = *app;
	bool had_row;
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_APP);
	if (err)
		return err;
	if (!hns3_is_row(app))
		return -EINVAL;
	had_row = nic->dscp_rows & BIT_ULL(app->protocol);
	old.priority = nic->dscp_to_prio[app->protocol];
	if (had_row && old.priority == app->priority)
		return 0;
	err = dcbnic_trust_row(nic, app);
	if (err)
		return err;
	return had_row ? dcbnic_remove_app(nic, &old) : 0;
}

static int hns3_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_DEL_APP);
	if (err)
		return err;
	if (!hns3_is_row(app) || !(nic->dscp_rows & BIT_ULL(app->protocol)) ||
	    app->priority != nic->dscp_to_prio[app->protocol])
		return -EINVAL;
	return dcbnic_drop_row(nic, app);
}

static u8 hns3_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX) ||
	    mode & (DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_CEE) ||
	    !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

static int hns3_check_pause(const struct dcbnic *nic,
			    const struct ethtool_pauseparam *pause)
{
	return pause->autoneg || nic->pfc.pfc_en ? -EOPNOTSUPP : 0;
}

static void hns3_init(struct dcbnic *nic)
{
	nic->ets.willing = 1;
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->ets.tc_tx_bw[0] = 100;
	nic->ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
}

static u8 hns3_dcbx_found(bool firmware_lldp)
{
	return DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}

static const struct dcbnl_rtnl_ops hns3_dcbnl_ops = {
	.ieee_getets	= dcbnic_getets,
	.ieee_setets	= hns3_setets,
	.ieee_getpfc	= dcbnic_getpfc,
	.ieee_setpfc	= hns3_setpfc,
	.ieee_setapp	= hns3_setapp,
	.ieee_delapp	= hns3_delapp,
	.getdcbx	= dcbnic_getdcbx,
	.setdcbx	= hns3_setdcbx,
};

const struct dcbnic_personality dcbnic_hns3 = {
	.name		= "hns3",
	.dcbnl_ops	= &hns3_dcbnl_ops,
	.stats		= dcbnic_mlx5_stats,
	.init		= hns3_init,
	.cnp		= DCBNIC_USUAL_CNP_NAMES,
	.dcbx_found	= hns3_dcbx_found,
	.own_dscp_map	= true,
	.check_pause	= hns3_check_pause,
};
