// SPDX-License-Identifier: GPL-2.0
/*
 * The knobs, as files in debugfs: dcbnic/NETDEV/KNOB, by the name that the netdev
 * was made with. RTNL is only tried for, because a netdev that goes away waits for
 * whoever is inside of its files while it holds RTNL.
 */
#include <linux/debugfs.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/rtnetlink.h>

#include "dcbnic.h"

#define DCBNIC_KNOB_BYTES	512

struct dcbnic_knob_kind {
	const char *name;
	void (*show)(struct seq_file *file, const struct dcbnic *nic);
	int (*set)(struct dcbnic *nic, char *text);
};

struct dcbnic_knob {
	struct dcbnic *nic;
	const struct dcbnic_knob_kind *kind;
};

static const struct {
	const char *name;
	bool of_port;
} dcbnic_event_names[DCBNIC_EVENTS] = {
	[DCBNIC_RX_PAUSE] = { "rx_pause" },
	[DCBNIC_TX_PAUSE] = { "tx_pause" },
	[DCBNIC_RX_PAUSE_US] = { "rx_pause_us" },
	[DCBNIC_TX_PAUSE_US] = { "tx_pause_us" },
	[DCBNIC_RX_PAUSE_TRANSITIONS] = { "rx_pause_transitions" },
	[DCBNIC_TX_PAUSE_TRANSITIONS] = { "tx_pause_transitions" },
	[DCBNIC_RX_DISCARDS] = { "rx_discards" },
	[DCBNIC_TX_DISCARDS] = { "tx_discards" },
	[DCBNIC_RX_MARKED] = { "rx_marked" },
	[DCBNIC_PORT_RX_PAUSE] = { "port_rx_pause", true },
	[DCBNIC_PORT_TX_PAUSE] = { "port_tx_pause", true },
	[DCBNIC_PORT_STORM_WARNINGS] = { "storm_warnings", true },
	[DCBNIC_PORT_STORM_ERRORS] = { "storm_errors", true },
	[DCBNIC_PORT_FEC_CORRECTED] = { "fec_corrected", true },
	[DCBNIC_PORT_FEC_UNCORRECTABLE] = { "fec_uncorrectable", true },
	[DCBNIC_PORT_SYMBOL_ERRORS] = { "symbol_errors", true },
	[DCBNIC_PORT_RX_CE] = { "rx_ce", true },
	[DCBNIC_PORT_TX_CNP] = { "cnp_sent", true },
	[DCBNIC_PORT_RX_CNP] = { "cnp_received", true },
};

static const char * const dcbnic_op_names[DCBNIC_OPS] = {
	[DCBNIC_GET_ETS] = "get_ets",
	[DCBNIC_SET_ETS] = "set_ets",
	[DCBNIC_GET_PFC] = "get_pfc",
	[DCBNIC_SET_PFC] = "set_pfc",
	[DCBNIC_GET_MAXRATE] = "get_maxrate",
	[DCBNIC_SET_MAXRATE] = "set_maxrate",
	[DCBNIC_GET_BUFFER] = "get_buffer",
	[DCBNIC_SET_BUFFER] = "set_buffer",
	[DCBNIC_SET_APP] = "set_app",
	[DCBNIC_DEL_APP] = "del_app",
	[DCBNIC_SET_DCBX] = "set_dcbx",
	[DCBNIC_SET_PAUSE] = "set_pause",
	[DCBNIC_SET_FLAGS] = "set_flags",
	[DCBNIC_SET_MTU] = "set_mtu",
};

/* Their readers hold RTNL, so these are written without it. */
static const char * const dcbnic_read_names[DCBNIC_READS] = {
	[DCBNIC_READ_DCB] = "sleep_in_dcb_read",
	[DCBNIC_READ_STATISTICS] = "sleep_in_counter_read",
};

static void personality_show(struct seq_file *file, const struct dcbnic *nic)
{
	seq_printf(file, "%s\n", nic->personality->name);
}

static void carrier_show(struct seq_file *file, const struct dcbnic *nic)
{
	seq_puts(file, READ_ONCE(nic->carrier_off) ? "off\n" : "on\n");
}

static int dcbnic_parse_switch(const char *text)
{
	if (!strcmp(text, "on"))
		return 1;
	return strcmp(text, "off") ? -EINVAL : 0;
}

static int carrier_set(struct dcbnic *nic, char *text)
{
	int on = dcbnic_parse_switch(text);

	if (on < 0)
		return on;
	WRITE_ONCE(nic->carrier_off, !on);
	dcbnic_follow_carrier(nic);
	return 0;
}

static void firmware_lldp_show(struct seq_file *file, const struct dcbnic *nic)
{
	seq_puts(file, nic->firmware_lldp ? "on\n" : "off\n");
}

static int firmware_lldp_set(struct dcbnic *nic, char *text)
{
	int on = dcbnic_parse_switch(text);

	if (on < 0)
		return on;
	dcbnic_set_firmware_lldp(nic, on);
	return 0;
}

static void counters_show(struct seq_file *file, const struct dcbnic *nic)
{
	int event, prio;

	for (event = 0; event < DCBNIC_EVENTS; event++) {
		seq_puts(file, dcbnic_event_names[event].name);
		for (prio = 0; prio < DCBNIC_PRIOS; prio++) {
			seq_printf(file, " %llu",
				   dcbnic_events(nic, event, prio));
			if (dcbnic_event_names[event].of_port)
				break;
		}
		seq_putc(file, '\n');
	}
}

/* "NAME PRIORITY N" or, of the port, "NAME N": counts N more. "clear": all zero. */
static int counters_set(struct dcbnic *nic, char *text)
{
	unsigned int prio = 0;
	char name[32];
	int event;
	u64 more;

	if (!strcmp(text, "clear")) {
		memset(nic->events, 0, sizeof(nic->events));
		return 0;
	}
	if (sscanf(text, "%31s", name) != 1)
		return -EINVAL;
	for (event = 0; event < DCBNIC_EVENTS; event++)
		if (!strcmp(dcbnic_event_names[event].name, name))
			break;
	if (event == DCBNIC_EVENTS)
		return -EINVAL;
	if (dcbnic_event_names[event].of_port) {
		if (sscanf(text, "%*s %llu", &more) != 1)
			return -EINVAL;
	} else if (sscanf(text, "%*s %u %llu", &prio, &more) != 2 ||
		   prio >= DCBNIC_PRIOS) {
		return -EINVAL;
	}
	atomic64_add(more, &nic->events[event][prio]);
	return 0;
}

static void peer_ets_show(struct seq_file *file, const struct dcbnic *nic)
{
	seq_puts(file, nic->peer.has_ets ? "on\n" : "off\n");
}

static void peer_pfc_show(struct seq_file *file, const struct dcbnic *nic)
{
	if (nic->peer.has_pfc)
		seq_printf(file, "0x%02x %u\n", nic->peer.pfc.pfc_en,
			   nic->peer.pfc.pfc_cap);
	else
		seq_puts(file, "off\n");
}

static void peer_app_show(struct seq_file *file, const struct dcbnic *nic)
{
	int i;

	for (i = 0; i < nic->peer.app_rows; i++)
		seq_printf(file, "%s%u:%u:%u", i ? " " : "",
			   nic->peer.app[i].selector, nic->peer.app[i].protocol,
			   nic->peer.app[i].priority);
	seq_puts(file, nic->peer.app_rows ? "\n" : "off\n");
}

static int personality_set(struct dcbnic *nic, char *text)
{
	int err = dcbnic_become(nic, text);

	if (!err)
		dcbnic_end_toggle(nic);
	return err;
}

/*
 * The same for as long as nothing that was set or counted has changed, and again
 * when it is as it was. The order of APP rows is nothing that anybody sees.
 */
static void fingerprint_show(struct seq_file *file, const struct dcbnic *nic)
{
	u32 hash = jhash_3words(nic->carrier_off, nic->speed_mbps,
				nic->bounce_ms, 0);
	u32 rows = 0;
	int i;

	for (i = 0; i < nic->app_rows; i++)
		rows += jhash(&nic->app[i], sizeof(nic->app[i]), 0);
	hash = jhash_1word(rows, hash);
	hash = jhash(&nic->settings, sizeof(nic->settings), hash);
	hash = jhash(nic->events, sizeof(nic->events), hash);
	hash = jhash(nic->fail_next, sizeof(nic->fail_next), hash);
	hash = jhash(nic->refuse, sizeof(nic->refuse), hash);
	hash = jhash(nic->deaf, sizeof(nic->deaf), hash);
	hash = jhash(nic->zeros, sizeof(nic->zeros), hash);
	seq_printf(file, "%08x\n", hash);
}

static int dcbnic_read_only(struct dcbnic *nic, char *text)
{
	return -EPERM;
}

static void link_kind_show(struct seq_file *file, const struct dcbnic *nic)
{
	seq_puts(file, nic->dev->rtnl_link_ops ? "on\n" : "off\n");
}

/* What a NIC without a kind had; the same for all. */
static const struct rtnl_link_ops *dcbnic_hidden_ops;

/*
 * A NIC of hardware shows no kind, and NetworkManager takes only a netdev without
 * one for an Ethernet port. "ip link del" does not know it any more, and the
 * module stays: its end would leave the netdev behind.
 */
static int link_kind_set(struct dcbnic *nic, char *text)
{
	int on = dcbnic_parse_switch(text);

	if (on < 0 || on == !!nic->dev->rtnl_link_ops)
		return min(on, 0);
	if (on) {
		nic->dev->rtnl_link_ops = dcbnic_hidden_ops;
		module_put(THIS_MODULE);
	} else {
		__module_get(THIS_MODULE);
		dcbnic_hidden_ops = nic->dev->rtnl_link_ops;
		nic->dev->rtnl_link_ops = NULL;
	}
	return 0;
}

/* Bytes by priority; as bits, the priorities that were stopped. */
static void queues_show(struct seq_file *file, const struct dcbnic *nic)
{
	int prio;

	seq_puts(file, "receive");
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		seq_printf(file, " %u", READ_ONCE(nic->drain.bytes[prio]));
	seq_puts(file, "\nsend");
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		seq_printf(file, " %u", READ_ONCE(nic->hold.bytes[prio]));
	seq_printf(file, "\nstops_partner 0x%02x\nstopped 0x%02x\nmost_in_buffer %u\n",
		   READ_ONCE(nic->stops.prios), READ_ONCE(nic->hold.stopped),
		   READ_ONCE(nic->drain.most));
}

static const struct dcbnic_knob_kind dcbnic_kinds[] = {
	{ "fingerprint", fingerprint_show, dcbnic_read_only },
	{ "personality", personality_show, personality_set },
	{ "carrier", carrier_show, carrier_set },
	{ "firmware_lldp", firmware_lldp_show, firmware_lldp_set },
	{ "counters", counters_show, counters_set },
	{ "peer_ets", peer_ets_show, dcbnic_parse_peer_ets },
	{ "peer_pfc", peer_pfc_show, dcbnic_parse_peer_pfc },
	{ "peer_app", peer_app_show, dcbnic_parse_peer_app },
	{ "link_kind", link_kind_show, link_kind_set },
	{ "queues", queues_show, dcbnic_read_only },
	{ "hw_counters", dcbnic_show_cnp, dcbnic_read_only },
};

static int dcbnic_knob_show(struct seq_file *file, void *unused)
{
	const struct dcbnic_knob *knob = file->private;

	knob->kind->show(file, knob->nic);
	return 0;
}

static int dcbnic_knob_open(struct inode *inode, struct file *file)
{
	return single_open(file, dcbnic_knob_show, inode->i_private);
}

static ssize_t dcbnic_knob_write(struct file *file, const char __user *data,
				 size_t bytes, loff_t *position)
{
	struct dcbnic_knob *knob = file_inode(file)->i_private;
	char *text;
	int err;

	if (bytes > DCBNIC_KNOB_BYTES)
		return -E2BIG;
	text = memdup_user_nul(data, bytes);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (rtnl_trylock()) {
		err = knob->kind->set(knob->nic, strim(text));
		rtnl_unlock();
	} else {
		err = restart_syscall();
	}
	kfree(text);
	return err ?: bytes;
}

static const struct file_operations dcbnic_knob_operations = {
	.owner		= THIS_MODULE,
	.open		= dcbnic_knob_open,
	.read		= seq_read,
	.write		= dcbnic_knob_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct dentry *dcbnic_root;

void dcbnic_make_root(void)
{
	dcbnic_root = debugfs_create_dir(DCBNIC_DRIVER_NAME, NULL);
}

void dcbnic_remove_root(void)
{
	debugfs_remove_recursive(dcbnic_root);
}

static bool dcbnic_is_get(enum dcbnic_op op)
{
	return op == DCBNIC_GET_ETS || op == DCBNIC_GET_PFC ||
	       op == DCBNIC_GET_MAXRATE || op == DCBNIC_GET_BUFFER;
}

/* One of the knobs that there are for each operation. */
static void dcbnic_make_op_knob(struct dcbnic *nic, const char *what,
				enum dcbnic_op op, u32 *values)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", what, dcbnic_op_names[op]);
	debugfs_create_u32(name, 0600, nic->directory, &values[op]);
}

static void dcbnic_make_op_knobs(struct dcbnic *nic, enum dcbnic_op op)
{
	dcbnic_make_op_knob(nic, "fail_next", op, nic->fail_next);
	dcbnic_make_op_knob(nic, "refuse", op, nic->refuse);
	if (dcbnic_is_get(op))
		dcbnic_make_op_knob(nic, "zeros", op, nic->zeros);
	else
		dcbnic_make_op_knob(nic, "deaf", op, nic->deaf);
}

static void dcbnic_make_flow_knobs(struct dcbnic *nic)
{
	struct dcbnic_flow *flow = &nic->flow;
	const struct {
		const char *name;
		u32 *value;
	} knobs[] = {
		{ "drain_mbps", &flow->drain_mbps },
		{ "wire_mbps", &flow->wire_mbps },
		{ "xoff_kb", &flow->xoff_kb },
		{ "xon_kb", &flow->xon_kb },
		{ "headroom_kb", &flow->headroom_kb },
		{ "ecn_kb", &flow->ecn_kb },
		{ "cnp_us", &flow->cnp_us },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		debugfs_create_u32(knobs[i].name, 0600, nic->directory,
				   knobs[i].value);
}

/* Without its knobs a NIC is a NIC: what fails here is not told. */
void dcbnic_make_knobs(struct dcbnic *nic)
{
	int i;

	nic->knobs = kcalloc(ARRAY_SIZE(dcbnic_kinds), sizeof(*nic->knobs),
			     GFP_KERNEL);
	if (!nic->knobs)
		return;
	nic->directory = debugfs_create_dir(netdev_name(nic->dev), dcbnic_root);
	for (i = 0; i < ARRAY_SIZE(dcbnic_kinds); i++) {
		nic->knobs[i] = (struct dcbnic_knob){ nic, &dcbnic_kinds[i] };
		debugfs_create_file(dcbnic_kinds[i].name, 0600, nic->directory,
				    &nic->knobs[i], &dcbnic_knob_operations);
	}
	for (i = 0; i < DCBNIC_READS; i++)
		debugfs_create_u32(dcbnic_read_names[i], 0600, nic->directory,
				   &nic->sleep_in[i]);
	debugfs_create_u32("bounce_ms", 0600, nic->directory, &nic->bounce_ms);
	dcbnic_make_flow_knobs(nic);
	for (i = 0; i < DCBNIC_OPS; i++)
		dcbnic_make_op_knobs(nic, i);
}

void dcbnic_remove_knobs(struct dcbnic *nic)
{
	debugfs_remove_recursive(nic->directory);
	kfree(nic->knobs);
}
