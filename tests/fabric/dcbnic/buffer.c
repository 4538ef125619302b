// SPDX-License-Identifier: GPL-2.0
/*
 * Receive buffers and rate limits per class, as settings. drain.c fills the buffers;
 * the limits limit nothing.
 */
#include "dcbnic.h"

#define DCBNIC_BUFFER_BYTES	262144

/* A new NIC: one buffer for all. */
void dcbnic_init_buffer(struct dcbnic *nic)
{
	nic->buffer.buffer_size[0] = DCBNIC_BUFFER_BYTES;
	nic->buffer.total_size = DCBNIC_BUFFER_BYTES;
}

int dcbnic_getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct dcbnic *nic = netdev_priv(dev);

	*buffer = nic->buffer;
	return dcbnic_fail_next(nic, DCBNIC_GET_BUFFER);
}

/* The total is the NIC's, whatever the caller says. */
int dcbnic_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct dcbnic *nic = netdev_priv(dev);
	u64 used = 0;
	int err, i;

	err = dcbnic_fail_next(nic, DCBNIC_SET_BUFFER);
	if (err)
		return err;
	for (i = 0; i < DCBX_MAX_BUFFERS; i++)
		used += buffer->buffer_size[i];
	if (used > nic->buffer.total_size) {
		netdev_err(dev, "buffers: %llu bytes of %u\n", used,
			   nic->buffer.total_size);
		return -EINVAL;
	}
	memcpy(nic->buffer.prio2buffer, buffer->prio2buffer,
	       sizeof(buffer->prio2buffer));
	memcpy(nic->buffer.buffer_size, buffer->buffer_size,
	       sizeof(buffer->buffer_size));
	return 0;
}

/* In kbit/s, 0 for no limit. */
int dcbnic_getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct dcbnic *nic = netdev_priv(dev);

	*maxrate = nic->maxrate;
	return dcbnic_fail_next(nic, DCBNIC_GET_MAXRATE);
}

int dcbnic_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct dcbnic *nic = netdev_priv(dev);
	int err;

	err = dcbnic_fail_next(nic, DCBNIC_SET_MAXRATE);
	if (err)
		return err;
	nic->maxrate = *maxrate;
	return 0;
}
