// SPDX-License-Identifier: GPL-2.0
/*
 * A devlink instance of the device that is the wire, with a parameter of each
 * type that is a number or a flag. All take effect at once and do nothing: what
 * is set is shown. `devlink dev param show` in the guest.
 */
#include <net/devlink.h>

#include "dcbnic.h"

enum dcbnic_param_id {
	DCBNIC_PARAM_FLAG = DEVLINK_PARAM_GENERIC_ID_MAX + 1,
	DCBNIC_PARAM_U8,
	DCBNIC_PARAM_U16,
	DCBNIC_PARAM_U32,
	DCBNIC_PARAM_END
};

struct dcbnic_params {
	union devlink_param_value values[DCBNIC_PARAM_END - DCBNIC_PARAM_FLAG];
};

static union devlink_param_value *dcbnic_value(struct devlink *devlink, u32 id)
{
	struct dcbnic_params *params = devlink_priv(devlink);

	return &params->values[id - DCBNIC_PARAM_FLAG];
}

static int dcbnic_get_param(struct devlink *devlink, u32 id,
			    struct devlink_param_gset_ctx *ctx)
{
	ctx->val = *dcbnic_value(devlink, id);
	return 0;
}

static int dcbnic_set_param(struct devlink *devlink, u32 id,
			    struct devlink_param_gset_ctx *ctx,
			    struct netlink_ext_ack *extack)
{
	if (id == DCBNIC_PARAM_U8 && ctx->val.vu8 > 200) {
		NL_SET_ERR_MSG(extack, "200 at most");
		return -ERANGE;
	}
	*dcbnic_value(devlink, id) = ctx->val;
	return 0;
}

#define DCBNIC_PARAM(id, name, type)					\
	DEVLINK_PARAM_DRIVER(id, name, DEVLINK_PARAM_TYPE_##type,	\
			     BIT(DEVLINK_PARAM_CMODE_RUNTIME),		\
			     dcbnic_get_param, dcbnic_set_param, NULL)

static const struct devlink_param dcbnic_params[] = {
	DCBNIC_PARAM(DCBNIC_PARAM_FLAG, "test_flag", BOOL),
	DCBNIC_PARAM(DCBNIC_PARAM_U8, "test_u8", U8),
	DCBNIC_PARAM(DCBNIC_PARAM_U16, "test_u16", U16),
	DCBNIC_PARAM(DCBNIC_PARAM_U32, "test_u32", U32),
};

static const struct devlink_ops dcbnic_devlink_ops = { };

int dcbnic_add_devlink(struct dcbnic *nic)
{
	struct device *wire = nic->lower->dev.parent;
	int err;

	if (!wire)
		return 0;
	nic->devlink = devlink_alloc(&dcbnic_devlink_ops,
				     sizeof(struct dcbnic_params), wire);
	if (!nic->devlink)
		return -ENOMEM;
	err = devlink_params_register(nic->devlink, dcbnic_params,
				      ARRAY_SIZE(dcbnic_params));
	if (err) {
		devlink_free(nic->devlink);
		nic->devlink = NULL;
		return err;
	}
	devlink_register(nic->devlink);
	return 0;
}

void dcbnic_remove_devlink(struct dcbnic *nic)
{
	if (!nic->devlink)
		return;
	devlink_unregister(nic->devlink);
	devlink_params_unregister(nic->devlink, dcbnic_params,
				  ARRAY_SIZE(dcbnic_params));
	devlink_free(nic->devlink);
	nic->devlink = NULL;
}
