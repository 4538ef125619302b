// SPDX-License-Identifier: GPL-2.0
/* When there is a link: the lower netdev's, unless a knob or a toggle says no. */
#include "dcbnic.h"

void dcbnic_follow_carrier(struct dcbnic *nic)
{
	if (netif_running(nic->lower) && netif_carrier_ok(nic->lower) &&
	    !READ_ONCE(nic->carrier_off) && !READ_ONCE(nic->link_toggling))
		netif_carrier_on(nic->dev);
	else
		netif_carrier_off(nic->dev);
}

static void dcbnic_link_back(struct work_struct *work)
{
	struct dcbnic *nic = container_of(to_delayed_work(work), struct dcbnic,
					  link_back);

	WRITE_ONCE(nic->link_toggling, false);
	dcbnic_follow_carrier(nic);
}

void dcbnic_init_carrier(struct dcbnic *nic)
{
	INIT_DELAYED_WORK(&nic->link_back, dcbnic_link_back);
	netif_carrier_off(nic->dev);
}

/* A new NIC's link is not down for what an old one was set to. */
void dcbnic_end_toggle(struct dcbnic *nic)
{
	cancel_delayed_work(&nic->link_back);
	WRITE_ONCE(nic->link_toggling, false);
	dcbnic_follow_carrier(nic);
}

/* Down and up again by itself, as where a setting makes the port retrain. */
void dcbnic_toggle_link(struct dcbnic *nic, unsigned int length_ms)
{
	WRITE_ONCE(nic->link_toggling, true);
	dcbnic_follow_carrier(nic);
	mod_delayed_work(system_wq, &nic->link_back,
			 msecs_to_jiffies(length_ms));
}
