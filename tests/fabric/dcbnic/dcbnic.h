/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dcbnic: a DCB-capable NIC for the virtual fabric, stacked on another netdev.
 *
 * The lower netdev (virtio-net in the fabric) is the wire; dcbnic adds what a
 * data-centre NIC has and virtio-net lacks: ETS, PFC, APP, DCBX, buffers and
 * rate limits through dcbnl, a link speed, pause and FEC settings, and counters
 * per priority. It can behave as real drivers do (personalities) and fail on
 * demand (debugfs). Test only, never packaged.
 */
#ifndef DCBNIC_H
#define DCBNIC_H

#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>
#include <net/dcbnl.h>

struct seq_file;

#define DCBNIC_DRIVER_NAME	"dcbnic"
#define DCBNIC_PRIOS		IEEE_8021QAZ_MAX_TCS
#define DCBNIC_DSCPS		64
#define DCBNIC_APP_ROWS		256
#define DCBNIC_CNP_SLOTS	256

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

/* What is counted beside frames and bytes; by priority unless it says port. */
enum dcbnic_event {
	DCBNIC_RX_PAUSE,
	DCBNIC_TX_PAUSE,
	DCBNIC_RX_PAUSE_US,
	DCBNIC_TX_PAUSE_US,
	DCBNIC_RX_PAUSE_TRANSITIONS,
	DCBNIC_TX_PAUSE_TRANSITIONS,
	DCBNIC_RX_DISCARDS,
	DCBNIC_TX_DISCARDS,
	DCBNIC_RX_MARKED,
	DCBNIC_PORT_RX_PAUSE,
	DCBNIC_PORT_TX_PAUSE,
	DCBNIC_PORT_STORM_WARNINGS,
	DCBNIC_PORT_STORM_ERRORS,
	DCBNIC_PORT_FEC_CORRECTED,
	DCBNIC_PORT_FEC_UNCORRECTABLE,
	DCBNIC_PORT_SYMBOL_ERRORS,
	DCBNIC_PORT_RX_CE,
	DCBNIC_PORT_TX_CNP,
	DCBNIC_PORT_RX_CNP,
	DCBNIC_EVENTS,
};

/* What can be told to fail the next time, or to misbehave (hostile.c). */
enum dcbnic_op {
	DCBNIC_GET_ETS,
	DCBNIC_SET_ETS,
	DCBNIC_GET_PFC,
	DCBNIC_SET_PFC,
	DCBNIC_GET_MAXRATE,
	DCBNIC_SET_MAXRATE,
	DCBNIC_GET_BUFFER,
	DCBNIC_SET_BUFFER,
	DCBNIC_SET_APP,
	DCBNIC_DEL_APP,
	DCBNIC_SET_DCBX,
	DCBNIC_SET_PAUSE,
	DCBNIC_SET_FLAGS,
	DCBNIC_SET_MTU,
	DCBNIC_OPS,
};

/* Where a read can be told to sleep, under RTNL, as one of dead firmware does. */
enum dcbnic_read {
	DCBNIC_READ_DCB,
	DCBNIC_READ_STATISTICS,
	DCBNIC_READS,
};

/*
 * What the data path needs to know a frame's priority. Written under RTNL, read
 * without a lock: each member stands for itself, so READ_ONCE/WRITE_ONCE suffice.
 */
struct dcbnic_classifier {
	bool trust_dscp;	/* else trust PCP */
	u8 default_prio;	/* untagged, not IP, or no row for the DSCP */
	u8 dscp_to_prio[DCBNIC_DSCPS];
};

/* What an LLDP agent in the firmware heard from the link partner. */
struct dcbnic_peer {
	bool has_ets, has_pfc;
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	u16 app_rows;
	struct dcb_app app[16];
};

/* What the data path does beside passing frames on. All zero: nothing. */
struct dcbnic_flow {
	u32 drain_mbps;		/* at which the host takes frames; 0: at once */
	u32 wire_mbps;		/* of the link; 0: sends at once */
	u32 xoff_kb, xon_kb;	/* of a receive buffer; 0: half and a quarter */
	u32 headroom_kb;	/* of a buffer, for priorities with PFC; 0: 1024 */
	u32 ecn_kb;		/* a longer queue marks CE; 0: never */
	u32 cnp_us;		/* between notifications of a flow; 0: never */
};

/* Frames on their way to the host. Under @lock, except @waiting's readers. */
struct dcbnic_drain {
	spinlock_t lock;
	struct hrtimer timer;
	struct sk_buff_head queue[DCBNIC_PRIOS];
	u32 bytes[DCBNIC_PRIOS];
	u32 used[DCBX_MAX_BUFFERS];
	u32 most;		/* that any buffer held */
	u64 next_ns;
	u8 waiting;		/* priorities with frames */
	u8 over;		/* buffers that want their priorities stopped */
	u8 turn;
};

/* What the link partner was last told to stop. Under the drain's lock. */
struct dcbnic_stops {
	u64 at_ns;
	u64 since_ns[DCBNIC_PRIOS];
	u8 prios;
	bool global;		/* by a pause of the whole link */
};

/* Frames on their way to the wire. Under @lock, except @busy's readers. */
struct dcbnic_hold {
	spinlock_t lock;
	struct hrtimer timer;
	struct sk_buff_head queue[DCBNIC_PRIOS];
	u32 bytes[DCBNIC_PRIOS];
	u64 until_ns[DCBNIC_PRIOS];	/* of those that are stopped */
	u64 since_ns[DCBNIC_PRIOS];
	u64 next_ns;
	u8 waiting;		/* priorities with frames */
	u8 stopped;		/* priorities that the link partner stopped */
	u8 busy;		/* either */
	u8 turn;
};

/* Under which the RDMA driver shows marked frames and notifications. */
struct dcbnic_cnp_names {
	const char *marked, *sent, *handled;
};

/* As mlx5_ib and most others name them. */
#define DCBNIC_USUAL_CNP_NAMES						\
	{ "np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled" }

struct dcbnic;
struct dcbnic_knob;

enum dcbnic_scope {
	DCBNIC_OF_PRIO,
	DCBNIC_OF_PFC_PRIO,	/* there only while PFC is on for it */
	DCBNIC_OF_PORT,		/* the sum over all priorities */
};

/* What a statistic may show, besides an event. */
enum {
	DCBNIC_RX_PACKETS = DCBNIC_EVENTS,
	DCBNIC_RX_BYTES,
	DCBNIC_TX_PACKETS,
	DCBNIC_TX_BYTES,
	DCBNIC_NOTHING,
};

/* One name in "ethtool -S", or eight. */
struct dcbnic_stat {
	const char *format;	/* with %d for the priority, unless of the port */
	enum dcbnic_scope scope;
	int value;
};

/* How one driver behaves. */
struct dcbnic_personality {
	const char *name;
	const struct dcbnl_rtnl_ops *dcbnl_ops;
	const struct dcbnic_stat *stats;	/* ends with a NULL format */
	struct dcbnic_cnp_names cnp;
	/* Of a new NIC; all else is zero. */
	void (*init)(struct dcbnic *nic);
	/* DCBX, as the driver finds it with or without LLDP in firmware. */
	u8 (*dcbx_found)(bool firmware_lldp);
	/* The NIC itself holds what DSCP means; else the APP table says. */
	bool own_dscp_map;
	bool has_pfc_prevention;
	bool has_lldp_flag;	/* ethtool private flag fw-lldp-agent */
	bool pfc_hides_pause;	/* of the whole link, while PFC is on */
	/* The firmware's LLDP agent is to start or stop, and may not; or NULL. */
	int (*turn_agent)(struct dcbnic *nic, bool on);
	int (*check_pause)(const struct dcbnic *nic,
			   const struct ethtool_pauseparam *pause);
	/* After pause was set; or NULL. */
	void (*took_pause)(struct dcbnic *nic);
};

struct dcbnic {
	struct net_device *dev;
	struct net_device *lower;
	netdevice_tracker lower_tracker;
	struct devlink *devlink;
	struct dcbnic_classifier classifier;
	struct dcbnic_counters __percpu *counters;
	atomic64_t events[DCBNIC_EVENTS][DCBNIC_PRIOS];
	struct dcbnic_drain drain;
	struct dcbnic_stops stops;
	struct dcbnic_hold hold;
	u64 cnp_ns[DCBNIC_CNP_SLOTS];	/* when a flow of the slot was last answered */
	struct delayed_work link_back;
	bool carrier_off, link_toggling;
	u32 sleep_in[DCBNIC_READS];	/* not 0: until it is, or the reader is killed */
	u32 refuse[DCBNIC_OPS];		/* an errno, 0: do not */
	u32 deaf[DCBNIC_OPS];		/* not 0: says yes and does nothing */
	u32 zeros[DCBNIC_OPS];		/* not 0: answers zeros */
	u32 bounce_ms;			/* for how long a setting takes the link down */

	/* below: RTNL */
	u32 speed_mbps;
	u32 fail_next[DCBNIC_OPS];	/* an errno, 0: do not */
	struct dcb_app app[DCBNIC_APP_ROWS];	/* those we put in the table */
	u16 app_rows;
	struct dcbnl_rtnl_ops dcbnl_ops;	/* the personality's, with hostile.c before them */
	struct dentry *directory;
	struct dcbnic_knob *knobs;

	/* from here on: new with each personality */
	struct_group(settings,
		const struct dcbnic_personality *personality;
		struct ieee_ets ets;
		bool ets_known;		/* bnxt: has it ever been set */
		struct ieee_pfc pfc;
		struct ieee_maxrate maxrate;
		struct dcbnl_buffer buffer;
		u8 lossless_buffers;	/* mlx5: as bits, as of the last write */
		bool own_buffers;	/* mlx5: not laid out by the firmware */
		u32 xoff_bytes;		/* mlx5: as of the last write of buffers */
		struct ieee_ets desired_ets;	/* ice: what the next write commits */
		u8 desired_pfc_en, desired_pfc_cap;
		u8 dcbx;		/* a byte, also read under dcb_lock */
		bool firmware_lldp;
		bool trust_dscp;
		u8 dscp_to_prio[DCBNIC_DSCPS];
		u64 dscp_rows;		/* bit N: a row for DSCP N */
		struct ethtool_pauseparam pause;
		struct ethtool_pauseparam pause_before;	/* hns3: PFC was set */
		u32 fec;
		u16 pfc_prevention_ms;
		struct dcbnic_peer peer;
		struct dcbnic_flow flow;
	);
};

/* netdev.c: the data path and the netdev operations */
extern const struct net_device_ops dcbnic_netdev_ops;
rx_handler_result_t dcbnic_receive(struct sk_buff **pskb);

/* drain.c: what waits for the host */
void dcbnic_drain_init(struct dcbnic *nic);
void dcbnic_drain_flush(struct dcbnic *nic);
void dcbnic_drain_put(struct dcbnic *nic, struct sk_buff *skb, u8 prio);

/* hold.c: what waits for the wire */
void dcbnic_hold_init(struct dcbnic *nic);
void dcbnic_hold_flush(struct dcbnic *nic);
bool dcbnic_hold_put(struct dcbnic *nic, struct sk_buff *skb, u8 prio);
void dcbnic_send(struct dcbnic *nic, struct sk_buff *skb, u8 prio);
void dcbnic_obey(struct dcbnic *nic, u8 prios, const u16 *quanta);

/* pause.c: pause frames, both ways */
u64 dcbnic_stop_partner(struct dcbnic *nic, u8 stops, u64 now_ns);
void dcbnic_receive_control(struct dcbnic *nic, struct sk_buff *skb);

/* cnp.c: the notification point of DCQCN */
bool dcbnic_notify(struct dcbnic *nic, const struct sk_buff *skb);
void dcbnic_show_cnp(struct seq_file *file, const struct dcbnic *nic);

/* rate.c: time at a rate, and turns */
u32 dcbnic_wire_mbps(const struct dcbnic *nic);
u64 dcbnic_after(u64 due_ns, u64 now_ns, u32 bytes, u32 mbps);
u64 dcbnic_quanta_ns(const struct dcbnic *nic, u16 quanta);
u8 dcbnic_next_in_turn(u8 prios, u8 *last);
void dcbnic_count_pause_time(struct dcbnic *nic, enum dcbnic_event event, int prio,
			     u64 *since_ns, u64 now_ns);

/* carrier.c: when there is a link */
void dcbnic_init_carrier(struct dcbnic *nic);
void dcbnic_follow_carrier(struct dcbnic *nic);
void dcbnic_end_toggle(struct dcbnic *nic);
void dcbnic_toggle_link(struct dcbnic *nic, unsigned int length_ms);

/* devlink.c: parameters that take effect at once */
int dcbnic_add_devlink(struct dcbnic *nic);
void dcbnic_remove_devlink(struct dcbnic *nic);

/* classify.c: the priority of a frame, from its tag or DSCP */
u8 dcbnic_classify(const struct dcbnic *nic, const struct sk_buff *skb,
		   __be16 proto, int offset);
void dcbnic_refresh_classifier(struct dcbnic *nic);

/* counters.c: frames and bytes per priority, both ways, and events */
int dcbnic_alloc_counters(struct dcbnic *nic);
void dcbnic_free_counters(struct dcbnic *nic);
void dcbnic_count_frames(struct dcbnic *nic, enum dcbnic_direction direction,
			 u8 prio, u32 packets, u32 bytes);
void dcbnic_read_totals(const struct dcbnic *nic, struct dcbnic_totals *totals);
u64 dcbnic_events(const struct dcbnic *nic, enum dcbnic_event event, int prio);

/* dcb.c: what all personalities do alike. Called under RTNL. */
int dcbnic_fail_next(struct dcbnic *nic, enum dcbnic_op op);
int dcbnic_sleep_in(const struct dcbnic *nic, enum dcbnic_read read);
int dcbnic_getets(struct net_device *dev, struct ieee_ets *ets);
int dcbnic_getpfc(struct net_device *dev, struct ieee_pfc *pfc);
u8 dcbnic_getdcbx(struct net_device *dev);
int dcbnic_add_app(struct dcbnic *nic, struct dcb_app *app);
int dcbnic_remove_app(struct dcbnic *nic, struct dcb_app *app);
int dcbnic_trust_row(struct dcbnic *nic, struct dcb_app *app);
int dcbnic_drop_row(struct dcbnic *nic, struct dcb_app *app);
int dcbnic_check_ets(struct net_device *dev, const struct ieee_ets *ets);

/* hostile.c: a driver that cannot be trusted */
int dcbnic_instead(struct dcbnic *nic, enum dcbnic_op op);
int dcbnic_after_set(struct dcbnic *nic, int err);
void dcbnic_interpose(struct dcbnic *nic);

/* buffer.c: receive buffers and rate limits */
int dcbnic_getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer);
int dcbnic_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer);
int dcbnic_getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate);
int dcbnic_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate);
void dcbnic_init_buffer(struct dcbnic *nic);

/* mlx5_buffer.c: receive buffers as mlx5_core's */
void dcbnic_mlx5_init_buffer(struct dcbnic *nic);
int dcbnic_mlx5_follow_pfc(struct dcbnic *nic, bool new_prios, bool new_cable);
int dcbnic_mlx5_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer);
int dcbnic_mlx5_new_setbuffer(struct net_device *dev,
			      struct dcbnl_buffer *buffer);

/* peer.c: what the link partner announced */
int dcbnic_peer_getets(struct net_device *dev, struct ieee_ets *ets);
int dcbnic_peer_getpfc(struct net_device *dev, struct ieee_pfc *pfc);
int dcbnic_peer_getappinfo(struct net_device *dev,
			   struct dcb_peer_app_info *info, u16 *rows);
int dcbnic_peer_getapptable(struct net_device *dev, struct dcb_app *table);
int dcbnic_parse_peer_ets(struct dcbnic *nic, char *text);
int dcbnic_parse_peer_pfc(struct dcbnic *nic, char *text);
int dcbnic_parse_peer_app(struct dcbnic *nic, char *text);

/* personality.c, and one file for each */
extern const struct dcbnic_personality dcbnic_plain;
extern const struct dcbnic_personality dcbnic_mlx5;
extern const struct dcbnic_personality dcbnic_mlx5_dscp;
extern const struct dcbnic_personality dcbnic_mlx5_new;
extern const struct dcbnic_personality dcbnic_mlx4;
extern const struct dcbnic_personality dcbnic_hns3;
extern const struct dcbnic_personality dcbnic_bnxt;
extern const struct dcbnic_personality dcbnic_ice;
int dcbnic_become(struct dcbnic *nic, const char *name);
void dcbnic_set_firmware_lldp(struct dcbnic *nic, bool on);

/* stats.c: "ethtool -S" */
extern const struct dcbnic_stat dcbnic_mlx5_stats[];
extern const struct dcbnic_stat dcbnic_bnxt_stats[];
extern const struct dcbnic_stat dcbnic_ice_stats[];
int dcbnic_stat_count(const struct dcbnic *nic);
void dcbnic_stat_names(const struct dcbnic *nic, u8 *names);
void dcbnic_stat_values(const struct dcbnic *nic, u64 *values);

/* ethtool.c: identity, link speed, pause, FEC */
extern const struct ethtool_ops dcbnic_ethtool_ops;
void dcbnic_init_speed(struct dcbnic *nic);

/* control.c: the knobs in debugfs */
void dcbnic_make_root(void);
void dcbnic_remove_root(void);
void dcbnic_make_knobs(struct dcbnic *nic);
void dcbnic_remove_knobs(struct dcbnic *nic);

#endif
