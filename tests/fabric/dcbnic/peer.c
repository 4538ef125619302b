// SPDX-License-Identifier: GPL-2.0
/*
 * What the link partner announced, for drivers whose firmware runs LLDP: there is
 * nobody to announce here, so it is written into debugfs. "off" takes it back.
 */
#include <linux/string.h>

#include "dcbnic.h"

int dcbnic_peer_getets(struct net_device *dev, struct ieee_ets *ets)
{
	const struct dcbnic *nic = netdev_priv(dev);

	if (!nic->peer.has_ets)
		return -EOPNOTSUPP;
	*ets = nic->peer.ets;
	return 0;
}

int dcbnic_peer_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	const struct dcbnic *nic = netdev_priv(dev);

	if (!nic->peer.has_pfc)
		return -EOPNOTSUPP;
	*pfc = nic->peer.pfc;
	return 0;
}

int dcbnic_peer_getappinfo(struct net_device *dev,
			   struct dcb_peer_app_info *info, u16 *rows)
{
	const struct dcbnic *nic = netdev_priv(dev);

	if (!nic->peer.app_rows)
		return -EOPNOTSUPP;
	memset(info, 0, sizeof(*info));
	*rows = nic->peer.app_rows;
	return 0;
}

int dcbnic_peer_getapptable(struct net_device *dev, struct dcb_app *table)
{
	const struct dcbnic *nic = netdev_priv(dev);

	memcpy(table, nic->peer.app, nic->peer.app_rows * sizeof(*table));
	return 0;
}

static int dcbnic_parse_list(const char *text, u8 *list, u8 highest)
{
	unsigned int value[8];
	int i;

	if (!text || sscanf(text, "%u,%u,%u,%u,%u,%u,%u,%u", &value[0],
			    &value[1], &value[2], &value[3], &value[4],
			    &value[5], &value[6], &value[7]) != 8)
		return -EINVAL;
	for (i = 0; i < 8; i++) {
		if (value[i] > highest)
			return -EINVAL;
		list[i] = value[i];
	}
	return 0;
}

/*
 * "BW,BW,... TC,TC,... [willing]": eight shares by class, eight classes by
 * priority. A class with a share is ETS, one without is strict.
 */
int dcbnic_parse_peer_ets(struct dcbnic *nic, char *text)
{
	struct ieee_ets ets = { .ets_cap = IEEE_8021QAZ_MAX_TCS };
	char *word;
	int i;

	if (!strcmp(text, "off")) {
		nic->peer.has_ets = false;
		return 0;
	}
	if (dcbnic_parse_list(strsep(&text, " "), ets.tc_tx_bw, 100) ||
	    dcbnic_parse_list(strsep(&text, " "), ets.prio_tc,
			      IEEE_8021QAZ_MAX_TCS - 1))
		return -EINVAL;
	word = strsep(&text, " ");
	if (word && strcmp(word, "willing"))
		return -EINVAL;
	ets.willing = !!word;
	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		ets.tc_tsa[i] = ets.tc_tx_bw[i] ? IEEE_8021QAZ_TSA_ETS :
						  IEEE_8021QAZ_TSA_STRICT;
	nic->peer.ets = ets;
	nic->peer.has_ets = true;
	return 0;
}

/* "0x08 8": the priorities as bits, and how many it can have at once. */
int dcbnic_parse_peer_pfc(struct dcbnic *nic, char *text)
{
	unsigned int enabled, capability = IEEE_8021QAZ_MAX_TCS;

	if (!strcmp(text, "off")) {
		nic->peer.has_pfc = false;
		return 0;
	}
	if (sscanf(text, "%i %u", &enabled, &capability) < 1 || enabled > 0xff ||
	    capability > IEEE_8021QAZ_MAX_TCS)
		return -EINVAL;
	memset(&nic->peer.pfc, 0, sizeof(nic->peer.pfc));
	nic->peer.pfc.pfc_en = enabled;
	nic->peer.pfc.pfc_cap = capability;
	nic->peer.has_pfc = true;
	return 0;
}

/* "SELECTOR:PROTOCOL:PRIORITY ...", numbers: 3:4791:3 is RoCE v2 on 3. */
int dcbnic_parse_peer_app(struct dcbnic *nic, char *text)
{
	struct dcb_app app[ARRAY_SIZE(nic->peer.app)];
	unsigned int selector, protocol, priority;
	u16 rows = 0;
	char *word;

	if (strcmp(text, "off")) {
		while ((word = strsep(&text, " "))) {
			if (rows == ARRAY_SIZE(app) ||
			    sscanf(word, "%u:%i:%u", &selector, &protocol,
				   &priority) != 3 ||
			    selector > U8_MAX || protocol > U16_MAX ||
			    priority >= DCBNIC_PRIOS)
				return -EINVAL;
			app[rows++] = (struct dcb_app){
				.selector = selector,
				.protocol = protocol,
				.priority = priority,
			};
		}
	}
	memcpy(nic->peer.app, app, rows * sizeof(*app));
	nic->peer.app_rows = rows;
	return 0;
}
