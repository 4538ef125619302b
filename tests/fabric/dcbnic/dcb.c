// SPDX-License-Identifier: GPL-2.0
/*
 * The dcbnl operations that all personalities share, and helpers for the rest.
 * Called under RTNL; get_dcbx also under dcb_lock, so it must not sleep.
 */
#include <linux/sched/signal.h>
#include <net/dcbnl.h>

#include "dcbnic.h"

/* The errno asked for by fail_next_<op>, once. */
int dcbnic_fail_next(struct dcbnic *nic, enum dcbnic_op op)
{
	return -(int)xchg(&nic->fail_next[op], 0);
}

/* For as long as sleep_in_<read> says so. Only a signal that kills ends it before. */
int dcbnic_sleep_in(const struct dcbnic *nic, enum dcbnic_read read)
{
	while (READ_ONCE(nic->sleep_in[read])) {
		schedule_timeout_killable(HZ / 20);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

int dcbnic_getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct dcbnic *nic = netdev_priv(dev);

	if (dcbnic_sleep_in(nic, DCBNIC_READ_DCB))
		return -EINTR;
	*ets = nic->ets;
	return dcbnic_fail_next(nic, DCBNIC_GET_ETS);
}

int dcbnic_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct dcbnic *nic = netdev_priv(dev);
	int prio;

	if (dcbnic_sleep_in(nic, DCBNIC_READ_DCB))
		return -EINTR;
	*pfc = nic->pfc;
	for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
		pfc->requests[prio] = dcbnic_events(nic, DCBNIC_TX_PAUSE, prio);
		pfc->indications[prio] = dcbnic_events(nic, DCBNIC_RX_PAUSE,
						       prio);
	}
	return dcbnic_fail_next(nic, DCBNIC_GET_PFC);
}

u8 dcbnic_getdcbx(struct net_device *dev)
{
	const struct dcbnic *nic = netdev_priv(dev);

	return READ_ONCE(nic->dcbx);
}

/* Adds a row to the kernel's APP table, and remembers it for a new start. */
int dcbnic_add_app(struct dcbnic *nic, struct dcb_app *app)
{
	int err;

	if (nic->app_rows == DCBNIC_APP_ROWS)
		return -ENOSPC;
	err = dcb_ieee_setapp(nic->dev, app);
	if (err)
		return err;
	nic->app[nic->app_rows++] = *app;
	return 0;
}

int dcbnic_remove_app(struct dcbnic *nic, struct dcb_app *app)
{
	int err, i;

	err = dcb_ieee_delapp(nic->dev, app);
	if (err)
		return err;
	for (i = 0; i < nic->app_rows; i++) {
		if (nic->app[i].selector == app->selector &&
		    nic->app[i].protocol == app->protocol &&
		    nic->app[i].priority == app->priority) {
			nic->app[i] = nic->app[--nic->app_rows];
			break;
		}
	}
	return 0;
}

/*
 * A DSCP row that the NIC takes: it trusts DSCP from now on. Of NICs with a place
 * for each DSCP: a row that was there is not removed here.
 */
int dcbnic_trust_row(struct dcbnic *nic, struct dcb_app *app)
{
	int err = dcbnic_add_app(nic, app);

	if (err)
		return err;
	nic->dscp_rows |= BIT_ULL(app->protocol);
	nic->dscp_to_prio[app->protocol] = app->priority;
	nic->trust_dscp = true;
	dcbnic_refresh_classifier(nic);
	return 0;
}

/* The DSCP maps to priority 0. Without a row the NIC trusts PCP again. */
int dcbnic_drop_row(struct dcbnic *nic, struct dcb_app *app)
{
	int err = dcbnic_remove_app(nic, app);

	if (err)
		return err;
	nic->dscp_rows &= ~BIT_ULL(app->protocol);
	nic->dscp_to_prio[app->protocol] = 0;
	nic->trust_dscp = nic->dscp_rows;
	dcbnic_refresh_classifier(nic);
	return 0;
}

/* What 802.1Q asks for: known algorithms, classes that exist, a sum of 100. */
int dcbnic_check_ets(struct net_device *dev, const struct ieee_ets *ets)
{
	const struct dcbnic *nic = netdev_priv(dev);
	unsigned int ets_percent = 0;
	bool any_ets_tc = false;
	int i;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		if (ets->prio_tc[i] >= nic->ets.ets_cap) {
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
