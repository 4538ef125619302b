// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "mlx5": what mlx5_core of Linux 6.12 does. New, its classes
 * are VENDOR and priorities 0 and 1 are swapped; APP takes DSCP rows only, and
 * the first one makes the port trust DSCP, the last one gone makes it trust PCP
 * again; PFC's delay is the cable's length, and a change of PFC toggles the link.
 * mlx5_buffer.c has its receive buffers.
 *
 * "mlx5-dscp": the same, started while its firmware trusted DSCP: all 64 rows
 * are there.
 *
 * "mlx5-new": the same as of Linux 6.12.117. The share of a class that is not ETS
 * reads 0 instead of 100, and a refused write leaves the buffers to the firmware.
 *
 * checks/setting/DRIVERS.md lists each behaviour with its place in the source.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

#define MLX5_DEFAULT_CABLE_METRES	7
#define MLX5_CABLE_METRES_BELOW		1000
#define MLX5_NOT_ETS_SHARE		100
#define MLX5_100_MBPS_KBPS		100000ULL
#define MLX5_GBPS_KBPS			1000000ULL
#define MLX5_UNITS_MAX			255
#define MLX5_TOGGLE_MS			500

static int mlx5_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err, i;

	err = dcbnic_fail_next(nic, DCBNIC_SET_ETS);
	if (!err)
		err = dcbnic_check_ets(dev, ets);
	if (err)
		return err;
	/* Willing, receive shares and recommendations are not kept. */
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		nic->ets.tc_tsa[i] = ets->tc_tsa[i];
		nic->ets.prio_tc[i] = ets->prio_tc[i];
		nic->ets.tc_tx_bw[i] = ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS ?
				       ets->tc_tx_bw[i] : MLX5_NOT_ETS_SHARE;
	}
	return 0;
}

/* Later kernels do not show the share of a class that is not ETS. */
static int mlx5_new_getets(struct net_device *dev, struct ieee_ets *ets)
{
	int err, i;

	err = dcbnic_getets(dev, ets);
	for (i = 0; !err && i < IEEE_8021QAZ_MAX_TCS; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ets->tc_tx_bw[i] = 0;
	return err;
}

/* The NIC has the priorities before the buffers are checked. */
static int mlx5_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	bool new_prios = pfc->pfc_en != nic->pfc.pfc_en;
	bool new_cable = pfc->delay && pfc->delay != nic->pfc.delay &&
			 pfc->delay < MLX5_CABLE_METRES_BELOW;
	u16 old_metres = nic->pfc.delay;
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	if (new_prios) {
		nic->pfc.pfc_en = pfc->pfc_en;
		dcbnic_toggle_link(nic, MLX5_TOGGLE_MS);
	}
	if (new_cable)
		nic->pfc.delay = pfc->delay;
	err = dcbnic_mlx5_follow_pfc(nic, new_prios, new_cable);
	if (err && new_cable)
		nic->pfc.delay = old_metres;
	return err;
}

static int mlx5_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	struct dcb_app old = *app;
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_APP);
	if (err)
		return err;
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP ||
	    app->protocol >= DCBNIC_DSCPS || app->priority >= DCBNIC_PRIOS)
		return -EINVAL;
	old.priority = nic->dscp_to_prio[app->protocol];
	dcbnic_remove_app(nic, &old);
	return dcbnic_trust_row(nic, app);
}

static int mlx5_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_DEL_APP);
	if (err)
		return err;
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP ||
	    app->protocol >= DCBNIC_DSCPS)
		return -EINVAL;
	if (!nic->dscp_rows ||
	    app->priority != nic->dscp_to_prio[app->protocol])
		return -ENOENT;
	return dcbnic_drop_row(nic, app);
}

/* 8 bits of 100 Mb/s or of 1 Gb/s, rounded down, but never to nothing. */
static int mlx5_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct ieee_maxrate rounded = { };
	int i;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		u64 kbps = maxrate->tc_maxrate[i];
		u64 unit = kbps <= MLX5_UNITS_MAX * MLX5_100_MBPS_KBPS ?
			   MLX5_100_MBPS_KBPS : MLX5_GBPS_KBPS;

		if (kbps > MLX5_UNITS_MAX * MLX5_GBPS_KBPS)
			return -EINVAL;
		if (kbps)
			rounded.tc_maxrate[i] =
				max(div64_u64(kbps, unit), 1ULL) * unit;
	}
	return dcbnic_setmaxrate(dev, &rounded);
}

/* Mode 0 hands DCBX to the firmware. */
static u8 mlx5_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX))
		return 1;
	if (!mode)
		mode = nic->dcbx & ~DCB_CAP_DCBX_HOST;
	else if (mode & DCB_CAP_DCBX_LLD_MANAGED || !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	return 0;
}

static void mlx5_init(struct dcbnic *nic)
{
	int i;

	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		nic->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		nic->ets.tc_tx_bw[i] = MLX5_NOT_ETS_SHARE;
		nic->ets.prio_tc[i] = i < 2 ? 1 - i : i;
	}
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.delay = MLX5_DEFAULT_CABLE_METRES;
	for (i = 0; i < DCBNIC_DSCPS; i++)
		nic->dscp_to_prio[i] = i >> 3;
	dcbnic_mlx5_init_buffer(nic);
}

static void mlx5_dscp_init(struct dcbnic *nic)
{
	struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP };

	mlx5_init(nic);
	nic->trust_dscp = true;
	nic->dscp_rows = ~0ULL;
	for (app.protocol = 0; app.protocol < DCBNIC_DSCPS; app.protocol++) {
		app.priority = nic->dscp_to_prio[app.protocol];
		dcbnic_add_app(nic, &app);
	}
}

static u8 mlx5_dcbx_found(bool firmware_lldp)
{
	return (firmware_lldp ? 0 : DCB_CAP_DCBX_HOST) | DCB_CAP_DCBX_VER_CEE |
	       DCB_CAP_DCBX_VER_IEEE;
}

static int mlx5_check_pause(const struct dcbnic *nic,
			    const struct ethtool_pauseparam *pause)
{
	return pause->autoneg ? -EINVAL : 0;
}

/* The kernel's releases differ in how classes read, and in who has the buffers after a refused write. */
#define MLX5_DCBNL_OPS(get_ets, set_buffer)				\
	{								\
		.ieee_getets		= get_ets,			\
		.ieee_setets		= mlx5_setets,			\
		.ieee_getpfc		= dcbnic_getpfc,		\
		.ieee_setpfc		= mlx5_setpfc,			\
		.ieee_getmaxrate	= dcbnic_getmaxrate,		\
		.ieee_setmaxrate	= mlx5_setmaxrate,		\
		.ieee_setapp		= mlx5_setapp,			\
		.ieee_delapp		= mlx5_delapp,			\
		.dcbnl_getbuffer	= dcbnic_getbuffer,		\
		.dcbnl_setbuffer	= set_buffer,			\
		.getdcbx		= dcbnic_getdcbx,		\
		.setdcbx		= mlx5_setdcbx,			\
	}

#define MLX5_PERSONALITY(its_name, ops, begin)				\
	{								\
		.name			= its_name,			\
		.dcbnl_ops		= ops,				\
		.stats			= dcbnic_mlx5_stats,		\
		.init			= begin,			\
		.cnp			= DCBNIC_USUAL_CNP_NAMES,	\
		.dcbx_found		= mlx5_dcbx_found,		\
		.own_dscp_map		= true,				\
		.has_pfc_prevention	= true,				\
		.check_pause		= mlx5_check_pause,		\
	}

static const struct dcbnl_rtnl_ops mlx5_dcbnl_ops =
	MLX5_DCBNL_OPS(dcbnic_getets, dcbnic_mlx5_setbuffer);
static const struct dcbnl_rtnl_ops mlx5_new_dcbnl_ops =
	MLX5_DCBNL_OPS(mlx5_new_getets, dcbnic_mlx5_new_setbuffer);

const struct dcbnic_personality dcbnic_mlx5 =
	MLX5_PERSONALITY("mlx5", &mlx5_dcbnl_ops, mlx5_init);
const struct dcbnic_personality dcbnic_mlx5_dscp =
	MLX5_PERSONALITY("mlx5-dscp", &mlx5_dcbnl_ops, mlx5_dscp_init);
const struct dcbnic_personality dcbnic_mlx5_new =
	MLX5_PERSONALITY("mlx5-new", &mlx5_new_dcbnl_ops, mlx5_init);
