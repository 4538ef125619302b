// SPDX-License-Identifier: GPL-2.0
/*
 * "ethtool -S", under the names that real drivers use. What a real driver counts
 * and we do not is there and zero where something else is judged by it.
 */
#include <linux/ethtool.h>

#include "dcbnic.h"

const struct dcbnic_stat dcbnic_mlx5_stats[] = {
	{ "rx_prio%d_bytes", DCBNIC_OF_PRIO, DCBNIC_RX_BYTES },
	{ "rx_prio%d_packets", DCBNIC_OF_PRIO, DCBNIC_RX_PACKETS },
	{ "rx_prio%d_discards", DCBNIC_OF_PRIO, DCBNIC_RX_DISCARDS },
	{ "tx_prio%d_bytes", DCBNIC_OF_PRIO, DCBNIC_TX_BYTES },
	{ "tx_prio%d_packets", DCBNIC_OF_PRIO, DCBNIC_TX_PACKETS },
	{ "rx_prio%d_marked", DCBNIC_OF_PRIO, DCBNIC_RX_MARKED },
	{ "rx_prio%d_pause", DCBNIC_OF_PFC_PRIO, DCBNIC_RX_PAUSE },
	{ "rx_prio%d_pause_duration", DCBNIC_OF_PFC_PRIO, DCBNIC_RX_PAUSE_US },
	{ "tx_prio%d_pause", DCBNIC_OF_PFC_PRIO, DCBNIC_TX_PAUSE },
	{ "tx_prio%d_pause_duration", DCBNIC_OF_PFC_PRIO, DCBNIC_TX_PAUSE_US },
	{ "rx_prio%d_pause_transition", DCBNIC_OF_PFC_PRIO,
	  DCBNIC_RX_PAUSE_TRANSITIONS },
	{ "tx_pause_storm_warning_events", DCBNIC_OF_PORT,
	  DCBNIC_PORT_STORM_WARNINGS },
	{ "tx_pause_storm_error_events", DCBNIC_OF_PORT,
	  DCBNIC_PORT_STORM_ERRORS },
	{ "rx_pause_ctrl_phy", DCBNIC_OF_PORT, DCBNIC_PORT_RX_PAUSE },
	{ "tx_pause_ctrl_phy", DCBNIC_OF_PORT, DCBNIC_PORT_TX_PAUSE },
	{ "rx_discards_phy", DCBNIC_OF_PORT, DCBNIC_RX_DISCARDS },
	{ "tx_discards_phy", DCBNIC_OF_PORT, DCBNIC_TX_DISCARDS },
	{ "rx_symbol_err_phy", DCBNIC_OF_PORT, DCBNIC_PORT_SYMBOL_ERRORS },
	{ "rx_out_of_buffer", DCBNIC_OF_PORT, DCBNIC_NOTHING },
	{ NULL }
};

const struct dcbnic_stat dcbnic_bnxt_stats[] = {
	{ "rx_pfc_ena_frames_pri%d", DCBNIC_OF_PRIO, DCBNIC_RX_PAUSE },
	{ "tx_pfc_ena_frames_pri%d", DCBNIC_OF_PRIO, DCBNIC_TX_PAUSE },
	{ "rx_pause_frames", DCBNIC_OF_PORT, DCBNIC_PORT_RX_PAUSE },
	{ "tx_pause_frames", DCBNIC_OF_PORT, DCBNIC_PORT_TX_PAUSE },
	{ "rx_stat_discard", DCBNIC_OF_PORT, DCBNIC_RX_DISCARDS },
	{ "tx_stat_discard", DCBNIC_OF_PORT, DCBNIC_TX_DISCARDS },
	{ "continuous_pause_events", DCBNIC_OF_PORT, DCBNIC_NOTHING },
	{ "continuous_roce_pause_events", DCBNIC_OF_PORT,
	  DCBNIC_PORT_STORM_ERRORS },
	{ "pfc_pri%d_rx_duration_us", DCBNIC_OF_PRIO, DCBNIC_RX_PAUSE_US },
	{ "pfc_pri%d_rx_transitions", DCBNIC_OF_PRIO,
	  DCBNIC_RX_PAUSE_TRANSITIONS },
	{ "rx_pcs_symbol_err", DCBNIC_OF_PORT, DCBNIC_PORT_SYMBOL_ERRORS },
	{ "rx_discard_packets_cos%d", DCBNIC_OF_PRIO, DCBNIC_RX_DISCARDS },
	{ "rx_fec_corrected_blocks", DCBNIC_OF_PORT,
	  DCBNIC_PORT_FEC_CORRECTED },
	{ "rx_fec_uncorrectable_blocks", DCBNIC_OF_PORT,
	  DCBNIC_PORT_FEC_UNCORRECTABLE },
	{ "pfc_pri%d_tx_duration_us", DCBNIC_OF_PRIO, DCBNIC_TX_PAUSE_US },
	{ "pfc_pri%d_tx_transitions", DCBNIC_OF_PRIO,
	  DCBNIC_TX_PAUSE_TRANSITIONS },
	{ "rx_bytes_pri%d", DCBNIC_OF_PRIO, DCBNIC_RX_BYTES },
	{ "rx_packets_pri%d", DCBNIC_OF_PRIO, DCBNIC_RX_PACKETS },
	{ "tx_bytes_pri%d", DCBNIC_OF_PRIO, DCBNIC_TX_BYTES },
	{ "tx_packets_pri%d", DCBNIC_OF_PRIO, DCBNIC_TX_PACKETS },
	{ NULL }
};

/* No frames by priority here: ice counts none. */
const struct dcbnic_stat dcbnic_ice_stats[] = {
	{ "rx_bytes.nic", DCBNIC_OF_PORT, DCBNIC_RX_BYTES },
	{ "tx_bytes.nic", DCBNIC_OF_PORT, DCBNIC_TX_BYTES },
	{ "link_xon_rx.nic", DCBNIC_OF_PORT, DCBNIC_NOTHING },
	{ "link_xon_tx.nic", DCBNIC_OF_PORT, DCBNIC_NOTHING },
	{ "link_xoff_rx.nic", DCBNIC_OF_PORT, DCBNIC_PORT_RX_PAUSE },
	{ "link_xoff_tx.nic", DCBNIC_OF_PORT, DCBNIC_PORT_TX_PAUSE },
	{ "rx_dropped.nic", DCBNIC_OF_PORT, DCBNIC_RX_DISCARDS },
	{ "rx_crc_errors.nic", DCBNIC_OF_PORT, DCBNIC_NOTHING },
	{ "tx_priority_%d_xon.nic", DCBNIC_OF_PRIO,
	  DCBNIC_TX_PAUSE_TRANSITIONS },
	{ "tx_priority_%d_xoff.nic", DCBNIC_OF_PRIO, DCBNIC_TX_PAUSE },
	{ "rx_priority_%d_xon.nic", DCBNIC_OF_PRIO,
	  DCBNIC_RX_PAUSE_TRANSITIONS },
	{ "rx_priority_%d_xoff.nic", DCBNIC_OF_PRIO, DCBNIC_RX_PAUSE },
	{ NULL }
};

static u64 dcbnic_stat_value(const struct dcbnic *nic,
			     const struct dcbnic_totals *totals,
			     const struct dcbnic_stat *stat, int prio)
{
	switch (stat->value) {
	case DCBNIC_RX_PACKETS:
		return totals->packets[DCBNIC_RX][prio];
	case DCBNIC_RX_BYTES:
		return totals->bytes[DCBNIC_RX][prio];
	case DCBNIC_TX_PACKETS:
		return totals->packets[DCBNIC_TX][prio];
	case DCBNIC_TX_BYTES:
		return totals->bytes[DCBNIC_TX][prio];
	case DCBNIC_NOTHING:
		return 0;
	default:
		return dcbnic_events(nic, stat->value, prio);
	}
}

static bool dcbnic_stat_is_there(const struct dcbnic *nic,
				 const struct dcbnic_stat *stat, int prio)
{
	return stat->scope != DCBNIC_OF_PFC_PRIO ||
	       nic->pfc.pfc_en & BIT(prio);
}

int dcbnic_stat_count(const struct dcbnic *nic)
{
	const struct dcbnic_stat *stat;
	int count = 0, prio;

	for (stat = nic->personality->stats; stat->format; stat++) {
		if (stat->scope == DCBNIC_OF_PORT) {
			count++;
			continue;
		}
		for (prio = 0; prio < DCBNIC_PRIOS; prio++)
			count += dcbnic_stat_is_there(nic, stat, prio);
	}
	return count;
}

void dcbnic_stat_names(const struct dcbnic *nic, u8 *names)
{
	const struct dcbnic_stat *stat;
	int prio;

	for (stat = nic->personality->stats; stat->format; stat++) {
		if (stat->scope == DCBNIC_OF_PORT) {
			ethtool_puts(&names, stat->format);
			continue;
		}
		for (prio = 0; prio < DCBNIC_PRIOS; prio++)
			if (dcbnic_stat_is_there(nic, stat, prio))
				ethtool_sprintf(&names, stat->format, prio);
	}
}

void dcbnic_stat_values(const struct dcbnic *nic, u64 *values)
{
	const struct dcbnic_stat *stat;
	struct dcbnic_totals totals;
	u64 sum, value;
	int prio;

	dcbnic_sleep_in(nic, DCBNIC_READ_STATISTICS);
	dcbnic_read_totals(nic, &totals);
	for (stat = nic->personality->stats; stat->format; stat++) {
		sum = 0;
		for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
			value = dcbnic_stat_value(nic, &totals, stat, prio);
			sum += value;
			if (stat->scope != DCBNIC_OF_PORT &&
			    dcbnic_stat_is_there(nic, stat, prio))
				*values++ = value;
		}
		if (stat->scope == DCBNIC_OF_PORT)
			*values++ = sum;
	}
}
