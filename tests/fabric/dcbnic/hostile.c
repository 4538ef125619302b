// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that cannot be trusted, whichever it behaves as: it refuses for as long
 * as a knob says so, says yes and does nothing, answers zeros, or takes the link
 * down whenever something is set. What a personality does not offer stays so.
 */
#include <net/dcbnl.h>

#include "dcbnic.h"

/*
 * What a knob makes of a setting instead of the driver: 1 or an errno, and then the
 * driver is not asked; 0: it is.
 */
int dcbnic_instead(struct dcbnic *nic, enum dcbnic_op op)
{
	int refusal = READ_ONCE(nic->refuse[op]);

	if (refusal)
		return -refusal;
	return READ_ONCE(nic->deaf[op]) ? 1 : 0;
}

/* What the driver answered is handed through. */
int dcbnic_after_set(struct dcbnic *nic, int err)
{
	u32 bounce_ms = READ_ONCE(nic->bounce_ms);

	if (!err && bounce_ms)
		dcbnic_toggle_link(nic, bounce_ms);
	return err;
}

#define DCBNIC_HOSTILE_SET(name, type, op)				\
static int hostile_##name(struct net_device *dev, type *value)		\
{									\
	struct dcbnic *nic = netdev_priv(dev);				\
	int err = dcbnic_instead(nic, op);				\
									\
	if (err)							\
		return min(err, 0);					\
	err = nic->personality->dcbnl_ops->name(dev, value);		\
	return dcbnic_after_set(nic, err);				\
}

DCBNIC_HOSTILE_SET(ieee_setets, struct ieee_ets, DCBNIC_SET_ETS)
DCBNIC_HOSTILE_SET(ieee_setpfc, struct ieee_pfc, DCBNIC_SET_PFC)
DCBNIC_HOSTILE_SET(ieee_setmaxrate, struct ieee_maxrate, DCBNIC_SET_MAXRATE)
DCBNIC_HOSTILE_SET(ieee_setapp, struct dcb_app, DCBNIC_SET_APP)
DCBNIC_HOSTILE_SET(ieee_delapp, struct dcb_app, DCBNIC_DEL_APP)
DCBNIC_HOSTILE_SET(dcbnl_setbuffer, struct dcbnl_buffer, DCBNIC_SET_BUFFER)

#define DCBNIC_HOSTILE_GET(name, type, op)				\
static int hostile_##name(struct net_device *dev, type *value)		\
{									\
	struct dcbnic *nic = netdev_priv(dev);				\
	int refusal = READ_ONCE(nic->refuse[op]);			\
	int err;							\
									\
	if (refusal)							\
		return -refusal;					\
	err = nic->personality->dcbnl_ops->name(dev, value);		\
	if (!err && READ_ONCE(nic->zeros[op]))				\
		memset(value, 0, sizeof(*value));			\
	return err;							\
}

DCBNIC_HOSTILE_GET(ieee_getets, struct ieee_ets, DCBNIC_GET_ETS)
DCBNIC_HOSTILE_GET(ieee_getpfc, struct ieee_pfc, DCBNIC_GET_PFC)
DCBNIC_HOSTILE_GET(ieee_getmaxrate, struct ieee_maxrate, DCBNIC_GET_MAXRATE)
DCBNIC_HOSTILE_GET(dcbnl_getbuffer, struct dcbnl_buffer, DCBNIC_GET_BUFFER)

/* By contract 1 means refused. */
static u8 hostile_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err = dcbnic_instead(nic, DCBNIC_SET_DCBX);

	if (err)
		return err < 0;
	err = nic->personality->dcbnl_ops->setdcbx(dev, mode);
	return dcbnic_after_set(nic, err);
}

/* After each change of the personality. RTNL. */
void dcbnic_interpose(struct dcbnic *nic)
{
	struct dcbnl_rtnl_ops *ops = &nic->dcbnl_ops;

	*ops = *nic->personality->dcbnl_ops;
#define DCBNIC_OVER(name)						\
	do {								\
		if (ops->name)						\
			ops->name = hostile_##name;			\
	} while (0)
	DCBNIC_OVER(ieee_getets);
	DCBNIC_OVER(ieee_setets);
	DCBNIC_OVER(ieee_getpfc);
	DCBNIC_OVER(ieee_setpfc);
	DCBNIC_OVER(ieee_getmaxrate);
	DCBNIC_OVER(ieee_setmaxrate);
	DCBNIC_OVER(ieee_setapp);
	DCBNIC_OVER(ieee_delapp);
	DCBNIC_OVER(dcbnl_getbuffer);
	DCBNIC_OVER(dcbnl_setbuffer);
	DCBNIC_OVER(setdcbx);
#undef DCBNIC_OVER
	nic->dev->dcbnl_ops = ops;
}
