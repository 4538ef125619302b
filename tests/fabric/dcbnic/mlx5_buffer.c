// SPDX-License-Identifier: GPL-2.0
/*
 * The receive buffers of the personality "mlx5". The firmware lays them out when
 * PFC changes, until dcbnl sets them: then they stay, and each that has a lossless
 * priority must hold what arrives after its partner was told to stop.
 */
#include "dcbnic.h"

#define MLX5_TOTAL_BYTES	262016
#define MLX5_CELL_BYTES		128
#define MLX5_LEAST_MAX_MTU	9216

/* What a write can change, each checked in this order. */
#define MLX5_CABLE	BIT(0)
#define MLX5_PFC	BIT(1)
#define MLX5_MAP	BIT(2)
#define MLX5_SIZES	BIT(3)

static u32 mlx5_cells(u32 bytes)
{
	return bytes / MLX5_CELL_BYTES * MLX5_CELL_BYTES;
}

void dcbnic_mlx5_init_buffer(struct dcbnic *nic)
{
	nic->buffer.buffer_size[0] = MLX5_TOTAL_BYTES;
	nic->buffer.total_size = MLX5_TOTAL_BYTES;
}

/* As the firmware lays them out: lossless priorities beside the others. */
static void mlx5_lay_out(struct dcbnic *nic)
{
	struct dcbnl_buffer *buffer = &nic->buffer;
	u8 lossless = nic->pfc.pfc_en;
	int prio;

	memset(buffer->buffer_size, 0, sizeof(buffer->buffer_size));
	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		buffer->prio2buffer[prio] = !!(lossless & BIT(prio));
	nic->lossless_buffers = lossless ? BIT(1) : 0;
	if (lossless) {
		buffer->buffer_size[0] = mlx5_cells(MLX5_TOTAL_BYTES / 2);
		buffer->buffer_size[1] = buffer->buffer_size[0];
	} else {
		buffer->buffer_size[0] = MLX5_TOTAL_BYTES;
	}
}

/* What arrives until the partner has stopped. */
static u32 mlx5_xoff_bytes(const struct dcbnic *nic)
{
	u32 speed_mbps = max_t(u32, nic->speed_mbps, SPEED_40000);

	return (301 + 216 * nic->pfc.delay / 100) * speed_mbps / 1000 +
	       272 * nic->dev->mtu / 100;
}

static int mlx5_check_sizes(const struct dcbnic *nic, u8 lossless,
			    const struct dcbnl_buffer *buffer)
{
	u32 least = mlx5_xoff_bytes(nic) + MLX5_CELL_BYTES +
		    max_t(u32, nic->dev->max_mtu, MLX5_LEAST_MAX_MTU);
	int i;

	for (i = 0; i < DCBX_MAX_BUFFERS; i++) {
		if (lossless & BIT(i) && buffer->buffer_size[i] < least) {
			netdev_err(nic->dev, "buffer %d: %u bytes, %u at least\n",
				   i, buffer->buffer_size[i], least);
			return -ENOMEM;
		}
	}
	return 0;
}

/* The buffers that such a map makes lossless. Their sizes count if they changed. */
static int mlx5_check_map(const struct dcbnic *nic, u8 lossless_prios,
			  const u8 *map, const struct dcbnl_buffer *sizes,
			  u8 *lossless, bool *checked)
{
	u8 now = 0;
	int prio;

	for (prio = 0; prio < DCBNIC_PRIOS; prio++)
		if (lossless_prios & BIT(prio))
			now |= BIT(map[prio]);
	if (now == *lossless)
		return 0;
	*lossless = now;
	*checked = true;
	return mlx5_check_sizes(nic, now, sizes);
}

static int mlx5_take_sizes(const struct dcbnic *nic, u8 lossless,
			   const struct dcbnl_buffer *to, struct dcbnl_buffer *now)
{
	u64 used = 0;
	int i;

	for (i = 0; i < DCBX_MAX_BUFFERS; i++) {
		if (lossless & BIT(i) && !to->buffer_size[i])
			return -EINVAL;
		used += to->buffer_size[i];
	}
	if (used > nic->buffer.total_size)
		return -EINVAL;
	memcpy(now->buffer_size, to->buffer_size, sizeof(now->buffer_size));
	return mlx5_check_sizes(nic, lossless, now);
}

/*
 * Whole or not at all. A new map is checked with the old sizes, also where the
 * same write has new ones.
 */
static int mlx5_configure(struct dcbnic *nic, u32 changes,
			  const struct dcbnl_buffer *to)
{
	bool paused = nic->pause.rx_pause || nic->pause.tx_pause;
	struct dcbnl_buffer now = nic->buffer;
	u8 lossless = nic->lossless_buffers;
	bool checked = false;
	int err = 0, i;

	if (changes & MLX5_CABLE) {
		checked = true;
		err = mlx5_check_sizes(nic, lossless, &now);
	}
	if (!err && changes & MLX5_PFC)
		err = mlx5_check_map(nic, nic->pfc.pfc_en, now.prio2buffer, &now,
				     &lossless, &checked);
	if (!err && changes & MLX5_MAP)
		err = mlx5_check_map(nic, paused ? 0xff : nic->pfc.pfc_en,
				     to->prio2buffer, &now, &lossless, &checked);
	if (!err && changes & MLX5_SIZES) {
		checked = true;
		err = mlx5_take_sizes(nic, lossless, to, &now);
	}
	if (!err && !checked && mlx5_xoff_bytes(nic) != nic->xoff_bytes)
		err = mlx5_check_sizes(nic, lossless, &now);
	if (err)
		return err;
	if (changes & MLX5_MAP)
		memcpy(now.prio2buffer, to->prio2buffer, sizeof(now.prio2buffer));
	for (i = 0; i < DCBX_MAX_BUFFERS; i++)
		now.buffer_size[i] = mlx5_cells(now.buffer_size[i]);
	nic->buffer = now;
	nic->lossless_buffers = lossless;
	nic->xoff_bytes = mlx5_xoff_bytes(nic);
	return 0;
}

/* After a write of PFC, which the NIC has already. */
int dcbnic_mlx5_follow_pfc(struct dcbnic *nic, bool new_prios, bool new_cable)
{
	if (nic->own_buffers)
		return mlx5_configure(nic, (new_prios ? MLX5_PFC : 0) |
				      (new_cable ? MLX5_CABLE : 0), NULL);
	if (new_prios)
		mlx5_lay_out(nic);
	return 0;
}

static u32 mlx5_changes(const struct dcbnic *nic, const struct dcbnl_buffer *to)
{
	u32 changes = 0;

	if (memcmp(to->prio2buffer, nic->buffer.prio2buffer,
		   sizeof(to->prio2buffer)))
		changes |= MLX5_MAP;
	if (memcmp(to->buffer_size, nic->buffer.buffer_size,
		   sizeof(to->buffer_size)))
		changes |= MLX5_SIZES;
	return changes;
}

/* The buffers are the driver's for its life, even if it refused. */
int dcbnic_mlx5_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct dcbnic *nic = netdev_priv(dev);
	u32 changes = mlx5_changes(nic, buffer);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_BUFFER);
	if (err || !changes)
		return err;
	nic->own_buffers = true;
	return mlx5_configure(nic, changes, buffer);
}

/* The firmware is asked whose the buffers are: its own until it had a write. */
int dcbnic_mlx5_new_setbuffer(struct net_device *dev,
			      struct dcbnl_buffer *buffer)
{
	struct dcbnic *nic = netdev_priv(dev);
	bool had_own = nic->own_buffers;
	int err;

	err = dcbnic_mlx5_setbuffer(dev, buffer);
	if (err)
		nic->own_buffers = had_own;
	return err;
}
