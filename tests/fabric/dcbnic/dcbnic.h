/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dcbnic: a DCB-capable NIC for the virtual fabric, stacked on another netdev.
 *
 * The lower netdev (virtio-net in the fabric) is the wire; dcbnic adds what a
 * data-centre NIC has and virtio-net lacks: ETS, PFC, APP and DCBX through
 * dcbnl, a link speed, and counters per priority. Test only, never packaged.
 */
#ifndef DCBNIC_H
#define DCBNIC_H

#include <linux/dcbnl.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>

#define DCBNIC_DRIVER_NAME	"dcbnic"
#define DCBNIC_PRIOS		IEEE_8021QAZ_MAX_TCS
#define DCBNIC_DSCPS		64

enum dcbnic_direction { DCBNIC_RX, DCBNIC_TX, DCBNIC_DIRECTIONS };

struct dcbnic_count {
	u64_stats_t packets;
	u64_stats_t bytes;
};

/* One per CPU: frames and their bytes on the wire without the FCS. */
struct dcbnic_counters {
	struct dcbnic_count count[DCBNIC_DIRECTIONS][DCBNIC_PRIOS];
	struct u64_stats_sync syncp;
};

/* The sum over all CPUs. */
struct dcbnic_totals {
	u64 packets[DCBNIC_DIRECTIONS][DCBNIC_PRIOS];
	u64 bytes[DCBNIC_DIRECTIONS][DCBNIC_PRIOS];
};

/*
 * What the data path needs of the APP table. Written under RTNL, read without
 * a lock: each member stands for itself, so READ_ONCE/WRITE_ONCE suffice.
 */
struct dcbnic_classifier {
	bool trust_dscp;	/* else trust PCP */
	u8 default_prio;	/* untagged, not IP, or no row for the DSCP */
	u8 dscp_to_prio[DCBNIC_DSCPS];
};

struct dcbnic {
	struct net_device *dev;
	struct net_device *lower;
	netdevice_tracker lower_tracker;
	struct dcbnic_classifier classifier;
	struct dcbnic_counters __percpu *counters;

	/* below: RTNL */
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	u8 dcbx;		/* a byte, also read under dcb_lock */
	u32 speed_mbps;
};

/* netdev.c: the data path and the netdev operations */
extern const struct net_device_ops dcbnic_netdev_ops;
rx_handler_result_t dcbnic_receive(struct sk_buff **pskb);
void dcbnic_follow_carrier(struct dcbnic *nic);

/* classify.c: the priority of a frame, from its tag or DSCP */
u8 dcbnic_classify(const struct dcbnic *nic, const struct sk_buff *skb,
		   __be16 proto, int offset);
void dcbnic_refresh_classifier(struct dcbnic *nic);

/* counters.c: frames and bytes per priority, both ways */
int dcbnic_alloc_counters(struct dcbnic *nic);
void dcbnic_free_counters(struct dcbnic *nic);
void dcbnic_count_frames(struct dcbnic *nic, enum dcbnic_direction direction,
			 u8 prio, u32 packets, u32 bytes);
void dcbnic_read_totals(const struct dcbnic *nic, struct dcbnic_totals *totals);

/* dcb.c: the dcbnl operations */
extern const struct dcbnl_rtnl_ops dcbnic_dcbnl_ops;
void dcbnic_init_dcb(struct dcbnic *nic);

/* ethtool.c: identity, link speed, statistics */
extern const struct ethtool_ops dcbnic_ethtool_ops;
void dcbnic_init_speed(struct dcbnic *nic);

#endif
