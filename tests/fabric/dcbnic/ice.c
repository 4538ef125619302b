// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "ice": what ice (E810) of Linux 6.12 does. APP takes DSCP rows
 * only: the first one switches the port from VLAN to DSCP mode and gives all
 * bandwidth to class 0, a DSCP that has a row is not mapped again, and in DSCP
 * mode neither DCBX nor the map of priorities to classes changes. Nothing is
 * taken while the firmware's LLDP agent runs or the port is in a bond. It keeps
 * desired settings beside those that reads show, and each write commits all of them.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

#define ICE_ALL_SHARES	100

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

static u8 ice_used_tcs(const struct ieee_ets *ets)
{
	u8 used = 0;
	int i;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		used |= BIT(ets->prio_tc[i] & 7);
	return used;
}

/* Whether the classes in use are not 0, 1, 2, ... */
static bool ice_has_gap(const struct ieee_ets *ets)
{
	u8 used = ice_used_tcs(ets);

	return used & (used + 1);
}

/* How many classes are in use; 1 with a gap. */
static int ice_count_tcs(const struct ieee_ets *ets)
{
	return ice_has_gap(ets) ? 1 : hweight8(ice_used_tcs(ets));
}

/* As ice_dcb_bwchk: shares of all classes in use count, whatever their algorithm. */
static int ice_check_shares(struct ieee_ets *ets)
{
	int i, tcs = ice_count_tcs(ets), percent = 0;

	for (i = 0; i < tcs; i++)
		percent += ets->tc_tx_bw[i];
	if (tcs == 1 || !percent)
		ets->tc_tx_bw[0] = ICE_ALL_SHARES;
	else if (percent != ICE_ALL_SHARES)
		return -EINVAL;
	return 0;
}

/* The desired settings are not touched. */
static void ice_enter_vlan_mode(struct dcbnic *nic)
{
	struct ieee_ets *ets = &nic->ets;

	nic->trust_dscp = false;
	memset(ets, 0, sizeof(*ets));
	ets->willing = 1;
	ets->ets_cap = IEEE_8021QAZ_MAX_TCS;
	ets->tc_tx_bw[0] = ICE_ALL_SHARES;
	ets->tc_rx_bw[0] = ICE_ALL_SHARES;
	ets->tc_reco_bw[0] = ICE_ALL_SHARES;
	ets->tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	ets->tc_reco_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_en = 0;
}

/*
 * The desired settings become those of the NIC, ETS and PFC at once: a write of one
 * brings along what is desired of the other, which no read shows.
 */
static int ice_commit(struct dcbnic *nic)
{
	struct ieee_ets *ets = &nic->ets;
	int err;

	err = ice_check_shares(&nic->desired_ets);
	if (err)
		return err;
	*ets = nic->desired_ets;
	memcpy(ets->tc_rx_bw, ets->tc_tx_bw, sizeof(ets->tc_rx_bw));
	memcpy(ets->tc_reco_bw, ets->tc_tx_bw, sizeof(ets->tc_reco_bw));
	memcpy(ets->tc_reco_tsa, ets->tc_tsa, sizeof(ets->tc_reco_tsa));
	memcpy(ets->reco_prio_tc, ets->prio_tc, sizeof(ets->reco_prio_tc));
	nic->pfc.pfc_en = nic->desired_pfc_en;
	nic->pfc.pfc_cap = nic->desired_pfc_cap;
	/* As ice_dcb_noncontig_cfg: the first settings, and the writer is not told. */
	if (ice_has_gap(&nic->desired_ets))
		ice_enter_vlan_mode(nic);
	return 0;
}

static int ice_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	struct ieee_ets *desired = &nic->desired_ets;
	int err;

	err = ice_may_set(nic, DCBNIC_SET_ETS);
	if (err)
		return err;
	desired->willing = ets->willing;
	desired->cbs = ets->cbs;
	memcpy(desired->tc_tx_bw, ets->tc_tx_bw, sizeof(desired->tc_tx_bw));
	memcpy(desired->tc_tsa, ets->tc_tsa, sizeof(desired->tc_tsa));
	if (!nic->trust_dscp)
		memcpy(desired->prio_tc, ets->prio_tc, sizeof(desired->prio_tc));
	err = ice_check_shares(desired);
	if (err)
		return err;
	desired->ets_cap = IEEE_8021QAZ_MAX_TCS;
	return ice_commit(nic);
}

static int ice_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = ice_may_set(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	nic->desired_pfc_cap = pfc->pfc_cap ?: IEEE_8021QAZ_MAX_TCS;
	nic->desired_pfc_en = pfc->pfc_en;
	return ice_commit(nic);
}

static void ice_enter_dscp_mode(struct dcbnic *nic)
{
	struct ieee_ets *desired = &nic->desired_ets;
	int i;

	nic->trust_dscp = true;
	nic->desired_pfc_cap = IEEE_8021QAZ_MAX_TCS;
	desired->willing = 0;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		desired->tc_tx_bw[i] = i ? 0 : ICE_ALL_SHARES;
		desired->tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		desired->prio_tc[i] = i;
	}
	for (i = 0; i < DCBNIC_DSCPS; i++)
		nic->dscp_to_prio[i] = i >> 3;
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
	/* A failure reads as "no change", and the row is shown. */
	return ice_commit(nic) ? 1 : 0;
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
	else
		err = ice_commit(nic);
	dcbnic_refresh_classifier(nic);
	return err;
}

/* Stopped, the agent leaves the settings of a new NIC behind. */
static int ice_turn_agent(struct dcbnic *nic, bool on)
{
	if (on && nic->trust_dscp) {
		netdev_err(nic->dev, "no LLDP agent with DSCP rows\n");
		return -EOPNOTSUPP;
	}
	if (!on)
		ice_enter_vlan_mode(nic);
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

/* One kind of flow control at a time: pause reads off meanwhile. */
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
	.pfc_hides_pause = true,
	.turn_agent	= ice_turn_agent,
	.check_pause	= ice_check_pause,
};
