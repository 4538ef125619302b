// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "ice": what ice (E810) of Linux 6.12 does. APP takes DSCP rows
 * only: the first one switches the port from VLAN to DSCP mode and gives all
 * bandwidth to class 0, a DSCP that has a row is not mapped again, and in DSCP
 * mode neither DCBX nor the map of priorities to classes changes. Nothing is
 * taken while the firmware's LLDP agent runs or the port is in a bond.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

static int ice_may_set(struct dcbnic *nic, enum dcbnic_op op)
{
	int err;

	err = dcbnic_fail_next(nic, op);
	if (err)
		return err;
	if (nic->dcbx & DCB_CAP_DCBX_LLD_MANAGED ||
	    !(nic->dcbx & DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	if (netif_is_bond_slave(nic->dev)) {
		netdev_err(nic->dev, "DCB: no changes while in a bond\n");
		return -EINVAL;
	}
	return 0;
}

/* How many classes are in use; 1 when they are not 0, 1, 2, ... */
static int ice_count_tcs(const struct ieee_ets *ets)
{
	u8 used = 0;
	int i;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		used |= BIT(ets->prio_tc[i] & 7);
	return used & (used + 1) ? 1 : hweight8(used);
}

static int ice_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	struct ieee_ets new = *ets;
	int err, i, tcs, percent = 0;

	err = ice_may_set(nic, DCBNIC_SET_ETS);
	if (err)
		return err;
	new.ets_cap = nic->ets.ets_cap;
	memcpy(new.tc_rx_bw, new.tc_tx_bw, sizeof(new.tc_rx_bw));
	if (nic->trust_dscp)
		memcpy(new.prio_tc, nic->ets.prio_tc, sizeof(new.prio_tc));
	memcpy(new.reco_prio_tc, new.prio_tc, sizeof(new.reco_prio_tc));
	tcs = ice_count_tcs(&new);
	for (i = 0; i < tcs; i++)
		percent += new.tc_tx_bw[i];
	if (tcs == 1 || !percent)
		new.tc_tx_bw[0] = 100;
	else if (percent != 100)
		return -EINVAL;
	nic->ets = new;
	return 0;
}

static int ice_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = ice_may_set(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	if (pfc->pfc_cap)
		nic->pfc.pfc_cap = pfc->pfc_cap;
	nic->pfc.pfc_en = pfc->pfc_en;
	return 0;
}

static void ice_enter_dscp_mode(struct dcbnic *nic)
{
	int i;

	nic->trust_dscp = true;
	nic->ets.willing = 0;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		nic->ets.tc_tx_bw[i] = i ? 0 : 100;
		nic->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		nic->ets.prio_tc[i] = i;
	}
	for (i = 0; i < DCBNIC_DSCPS; i++)
		nic->dscp_to_prio[i] = i >> 3;
}

static void ice_enter_vlan_mode(struct dcbnic *nic)
{
	nic->trust_dscp = false;
	memset(&nic->ets, 0, sizeof(nic->ets));
	nic->ets.willing = 1;
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->ets.tc_tx_bw[0] = 100;
	nic->ets.tc_rx_bw[0] = 100;
	nic->ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_en = 0;
}

static int ice_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP ||
	    app->protocol >= DCBNIC_DSCPS || app->priority >= DCBNIC_PRIOS)
		return -EINVAL;
	err = ice_may_set(nic, DCBNIC_SET_APP);
	if (err)
		return err;
	if (nic->dscp_rows & BIT_ULL(app->protocol)) {
		netdev_err(dev, "APP: DSCP %u is mapped already\n",
			   app->protocol);
		return -EINVAL;
	}
	err = dcbnic_add_app(nic, app);
	if (err)
		return err;
	if (!nic->trust_dscp)
		ice_enter_dscp_mode(nic);
	nic->dscp_rows |= BIT_ULL(app->protocol);
	nic->dscp_to_prio[app->protocol] = app->priority;
	dcbnic_refresh_classifier(nic);
	return 0;
}

static int ice_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = ice_may_set(nic, DCBNIC_DEL_APP);
	if (!err)
		err = dcbnic_remove_app(nic, app);
	if (err)
		return err;
	/* Its default for a single DSCP: not the class it had before. */
	nic->dscp_rows &= ~BIT_ULL(app->protocol);
	nic->dscp_to_prio[app->protocol] = app->protocol % 8;
	if (!nic->dscp_rows)
		ice_enter_vlan_mode(nic);
	dcbnic_refresh_classifier(nic);
	return 0;
}

/* "No change" is its word for a mode it has already, and reads as refused. */
static u8 ice_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);
	const u8 both = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX) || nic->firmware_lldp)
		return 1;
	if (mode & DCB_CAP_DCBX_LLD_MANAGED || (mode & both) == both ||
	    !(mode & DCB_CAP_DCBX_HOST) || mode == nic->dcbx)
		return 1;
	if (netif_is_bond_slave(dev) || nic->trust_dscp)
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

static u8 ice_dcbx_found(bool firmware_lldp)
{
	return (firmware_lldp ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST) |
	       DCB_CAP_DCBX_VER_IEEE;
}

/* One kind of flow control at a time. */
static int ice_check_pause(const struct dcbnic *nic,
			   const struct ethtool_pauseparam *pause)
{
	if (pause->autoneg || nic->pfc.pfc_en)
		return -EOPNOTSUPP;
	return 0;
}

static const struct dcbnl_rtnl_ops ice_dcbnl_ops = {
	.ieee_getets	= dcbnic_getets,
	.ieee_setets	= ice_setets,
	.ieee_getpfc	= dcbnic_getpfc,
	.ieee_setpfc	= ice_setpfc,
	.ieee_setapp	= ice_setapp,
	.ieee_delapp	= ice_delapp,
	.getdcbx	= dcbnic_getdcbx,
	.setdcbx	= ice_setdcbx,
};

const struct dcbnic_personality dcbnic_ice = {
	.name		= "ice",
	.dcbnl_ops	= &ice_dcbnl_ops,
	.stats		= dcbnic_ice_stats,
	.init		= ice_enter_vlan_mode,
	.cnp		= { "RxECNMrkd",
			    "cnpSent", "cnpHandled" },
	.dcbx_found	= ice_dcbx_found,
	.own_dscp_map	= true,
	.has_lldp_flag	= true,
	.check_pause	= ice_check_pause,
};
