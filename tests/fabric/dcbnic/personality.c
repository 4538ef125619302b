// SPDX-License-Identifier: GPL-2.0
/* Which driver the NIC behaves like. RTNL. */
#include <linux/string.h>

#include "dcbnic.h"

static const struct dcbnic_personality * const dcbnic_personalities[] = {
	&dcbnic_plain, &dcbnic_mlx5, &dcbnic_mlx5_dscp, &dcbnic_mlx5_new,
	&dcbnic_bnxt, &dcbnic_ice, &dcbnic_mlx4, &dcbnic_hns3,
};

/* What was in the APP table goes: a new driver finds none of it. */
static void dcbnic_forget_app(struct dcbnic *nic)
{
	while (nic->app_rows)
		dcb_ieee_delapp(nic->dev, &nic->app[--nic->app_rows]);
}

static void dcbnic_start(struct dcbnic *nic,
			 const struct dcbnic_personality *personality)
{
	dcbnic_forget_app(nic);
	memset(&nic->settings, 0, sizeof(nic->settings));
	nic->personality = personality;
	dcbnic_interpose(nic);
	nic->dcbx = personality->dcbx_found(false);
	nic->fec = ETHTOOL_FEC_RS;
	personality->init(nic);
	dcbnic_refresh_classifier(nic);
	dcbnic_drain_flush(nic);
	dcbnic_hold_flush(nic);
	memset(nic->events, 0, sizeof(nic->events));
}

/* Starts anew as the NIC of that name: its settings, and its counts of events. */
int dcbnic_become(struct dcbnic *nic, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(dcbnic_personalities); i++) {
		if (!strcmp(dcbnic_personalities[i]->name, name)) {
			dcbnic_start(nic, dcbnic_personalities[i]);
			return 0;
		}
	}
	return -EINVAL;
}

/* An agent in the firmware that speaks LLDP, and then DCBX is its business. */
void dcbnic_set_firmware_lldp(struct dcbnic *nic, bool on)
{
	nic->firmware_lldp = on;
	WRITE_ONCE(nic->dcbx, nic->personality->dcbx_found(on));
}
