/* SPDX-License-Identifier: Apache-2.0 */
/* Abilities of some drivers only: LED, flow control, driver-specific counters. */
#include "dev/ethdev/ethdev.h"

#include "dev/ethdev/device.h"

#include <errno.h>
#include <rte_ethdev.h>
#include <stdlib.h>
#include <string.h>

int ethdev_set_led(const struct port *port, bool on)
{
	return on ? rte_eth_led_on(ethdev_id(port)) : rte_eth_led_off(ethdev_id(port));
}

int ethdev_flow_control(const struct port *port, int32_t *mode)
{
	struct rte_eth_fc_conf flow_control = {0};
	int error = rte_eth_dev_flow_ctrl_get(ethdev_id(port), &flow_control);
	*mode = error ? -1 : (int32_t)flow_control.mode;
	return error;
}

int ethdev_set_flow_control(const struct port *port, int32_t mode)
{
	struct rte_eth_fc_conf flow_control = {0};
	int error = rte_eth_dev_flow_ctrl_get(ethdev_id(port), &flow_control);
	flow_control.mode = (enum rte_eth_fc_mode)mode;
	return error ? error : rte_eth_dev_flow_ctrl_set(ethdev_id(port), &flow_control);
}

int ethdev_xstats(const struct port *port, struct ws_xstat *out, uint32_t max)
{
	uint16_t id = ethdev_id(port);
	int count = rte_eth_xstats_get(id, NULL, 0);
	if (count < 0)
		return count;
	struct rte_eth_xstat *values = calloc((size_t)count + 1, sizeof(*values));
	struct rte_eth_xstat_name *names = calloc((size_t)count + 1, sizeof(*names));
	int valued = values ? rte_eth_xstats_get(id, values, (unsigned)count) : -ENOMEM;
	int named = names ? rte_eth_xstats_get_names(id, names, (unsigned)count) : -ENOMEM;
	for (int i = 0; valued == count && named == count && i < count && (uint32_t)i < max; i++) {
		memcpy(out[i].name, names[values[i].id].name, sizeof(out[i].name));
		out[i].value = values[i].value;
	}
	free(values);
	free(names);
	if (valued != count || named != count)
		return valued < 0 ? valued : -EIO;
	return count;
}
