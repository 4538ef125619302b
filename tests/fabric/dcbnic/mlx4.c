// SPDX-License-Identifier: GPL-2.0
/*
 * The personality "mlx4": what mlx4_en of Linux 6.12 does. New, all classes are the
 * vendor's and both dialects of DCBX are there, which no write brings back. PFC and
 * pause of the whole link exclude each other; rates round up; another mode of DCBX
 * clears ETS and PFC. APP rows go into the kernel's table alone.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

#define MLX4_RATE_KBPS	100000ULL

static int mlx4_getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct ieee_ets all;
	int err;

	err = dcbnic_getets(dev, &all);
	if (err)
		return err;
	memset(ets, 0, sizeof(*ets));
	ets->ets_cap = IEEE_8021QAZ_MAX_TCS;
	ets->cbs = all.cbs;
	memcpy(ets->tc_tx_bw, all.tc_tx_bw, sizeof(ets->tc_tx_bw));
	memcpy(ets->tc_tsa, all.tc_tsa, sizeof(ets->tc_tsa));
	memcpy(ets->prio_tc, all.prio_tc, sizeof(ets->prio_tc));
	return 0;
}

static int mlx4_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_ETS);
	if (!err)
		err = dcbnic_check_ets(dev, ets);
	if (err)
		return err;
	nic->ets = *ets;
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	return 0;
}

/* Neither delay nor MACsec bypass is kept. */
static int mlx4_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_PFC);
	if (err)
		return err;
	nic->pfc.pfc_en = pfc->pfc_en;
	if (pfc->pfc_en) {
		nic->pause.rx_pause = 0;
		nic->pause.tx_pause = 0;
	}
	return 0;
}

static int mlx4_check_pause(const struct dcbnic *nic,
			    const struct ethtool_pauseparam *pause)
{
	return pause->autoneg ? -EINVAL : 0;
}

static void mlx4_took_pause(struct dcbnic *nic)
{
	if (nic->pause.rx_pause || nic->pause.tx_pause)
		nic->pfc.pfc_en = 0;
}

static int mlx4_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct ieee_maxrate rounded;
	int i;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		rounded.tc_maxrate[i] =
			div64_u64(maxrate->tc_maxrate[i] + MLX4_RATE_KBPS - 1,
				  MLX4_RATE_KBPS) * MLX4_RATE_KBPS;
	return dcbnic_setmaxrate(dev, &rounded);
}

static u8 mlx4_setdcbx(struct net_device *dev, u8 mode)
{
	const u8 both = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;
	struct dcbnic *nic = netdev_priv(dev);

	if (dcbnic_fail_next(nic, DCBNIC_SET_DCBX))
		return 1;
	if (mode == nic->dcbx)
		return 0;
	if (mode & DCB_CAP_DCBX_LLD_MANAGED || (mode & both) == both ||
	    !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	WRITE_ONCE(nic->dcbx, mode);
	memset(&nic->ets, 0, sizeof(nic->ets));
	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_en = 0;
	return 0;
}

static void mlx4_init(struct dcbnic *nic)
{
	int i;

	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		nic->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		nic->ets.prio_tc[i] = i;
	}
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pause.rx_pause = 1;
	nic->pause.tx_pause = 1;
}

static u8 mlx4_dcbx_found(bool firmware_lldp)
{
	return DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE;
}

static const struct dcbnl_rtnl_ops mlx4_dcbnl_ops = {
	.ieee_getets		= mlx4_getets,
	.ieee_setets		= mlx4_setets,
	.ieee_getpfc		= dcbnic_getpfc,
	.ieee_setpfc		= mlx4_setpfc,
	.ieee_getmaxrate	= dcbnic_getmaxrate,
	.ieee_setmaxrate	= mlx4_setmaxrate,
	.getdcbx		= dcbnic_getdcbx,
	.setdcbx		= mlx4_setdcbx,
};

const struct dcbnic_personality dcbnic_mlx4 = {
	.name		= "mlx4",
	.dcbnl_ops	= &mlx4_dcbnl_ops,
	.stats		= dcbnic_mlx5_stats,
	.init		= mlx4_init,
	.cnp		= DCBNIC_USUAL_CNP_NAMES,
	.dcbx_found	= mlx4_dcbx_found,
	.check_pause	= mlx4_check_pause,
	.took_pause	= mlx4_took_pause,
};
