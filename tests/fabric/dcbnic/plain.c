// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "plain": DCB by the book, configured by the host. Takes what
 * the standard allows, refuses the rest, has no surprises.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

static int plain_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	u8 ets_cap = nic->ets.ets_cap;
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_ETS);
	if (err)
		return err;
	if (ets->cbs) {
		netdev_err(dev, "ETS: no credit-based shaper\n");
		return -EOPNOTSUPP;
	}
	err = dcbnic_check_ets(dev, ets);
	if (err)
		return err;
	nic->ets = *ets;
	nic->ets.ets_cap = ets_cap;
	return 0;
}

static int plain_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
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
static int plain_check_app(struct net_device *dev, const struct dcb_app *app)
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

static int plain_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_APP);
	if (!err)
		err = plain_check_app(dev, app);
	if (!err)
		err = dcbnic_add_app(nic, app);
	if (!err)
		dcbnic_refresh_classifier(nic);
	return err;
}

static int plain_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_DEL_APP);
	if (!err)
		err = dcbnic_remove_app(nic, app);
	if (!err)
		dcbnic_refresh_classifier(nic);
	return err;
}

/* No firmware agent and no CEE here. By contract 1 means refused. */
static u8 plain_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);
	const u8 wanted = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX))
		return 1;
	if (nic->firmware_lldp || (mode & ~DCB_CAP_DCBX_STATIC) != wanted)
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

/* A new NIC: every class strict, every priority in class 0, PFC off. */
static void plain_init(struct dcbnic *nic)
{
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	dcbnic_init_buffer(nic);
}

static u8 plain_dcbx_found(bool firmware_lldp)
{
	return (firmware_lldp ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST) |
	       DCB_CAP_DCBX_VER_IEEE;
}

static const struct dcbnl_rtnl_ops plain_dcbnl_ops = {
	.ieee_getets		= dcbnic_getets,
	.ieee_setets		= plain_setets,
	.ieee_getpfc		= dcbnic_getpfc,
	.ieee_setpfc		= plain_setpfc,
	.ieee_getmaxrate	= dcbnic_getmaxrate,
	.ieee_setmaxrate	= dcbnic_setmaxrate,
	.ieee_setapp		= plain_setapp,
	.ieee_delapp		= plain_delapp,
	.ieee_peer_getets	= dcbnic_peer_getets,
	.ieee_peer_getpfc	= dcbnic_peer_getpfc,
	.peer_getappinfo	= dcbnic_peer_getappinfo,
	.peer_getapptable	= dcbnic_peer_getapptable,
	.dcbnl_getbuffer	= dcbnic_getbuffer,
	.dcbnl_setbuffer	= dcbnic_setbuffer,
	.getdcbx		= dcbnic_getdcbx,
	.setdcbx		= plain_setdcbx,
};

const struct dcbnic_personality dcbnic_plain = {
	.name		= "plain",
	.dcbnl_ops	= &plain_dcbnl_ops,
	.stats		= dcbnic_mlx5_stats,
	.init		= plain_init,
	.cnp		= DCBNIC_USUAL_CNP_NAMES,
	.dcbx_found	= plain_dcbx_found,
};
