/* SPDX-License-Identifier: Apache-2.0 */
/* What only some drivers have: an LED, flow control, counters of their own. */
#include "dev/error.h"
#include "dev/port.h"
#include "wirespeed.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <stdlib.h>
#include <string.h>

/* Every refusal names the driver: another one may do it. */
static int result(uint16_t port, int error, const char *what)
{
	struct ws_port_info info;
	if (error >= 0)
		return 0;
	if (ws_port_info(port, &info))
		return -ENODEV;
	if (error == -ENOTSUP)
		return fail(error, "port %s: driver %s has no %s", info.name, info.driver, what);
	return fail(error, "port %s: driver %s, %s: %s", info.name, info.driver, what,
				rte_strerror(-error));
}

int ws_port_set_led(uint16_t port, bool on)
{
	return result(port, on ? rte_eth_led_on(port) : rte_eth_led_off(port), "LED");
}

int ws_port_flow_control(uint16_t port, int32_t *mode)
{
	struct rte_eth_fc_conf flow_control = {0};
	int error = rte_eth_dev_flow_ctrl_get(port, &flow_control);
	*mode = error ? -1 : (int32_t)flow_control.mode;
	return result(port, error, "flow control");
}

int ws_port_set_flow_control(uint16_t port, int32_t mode)
{
	struct rte_eth_fc_conf flow_control = {0};
	if (mode < RTE_ETH_FC_NONE || mode > RTE_ETH_FC_FULL)
		return fail(-EINVAL, "flow control mode %d; 0 is off, 1 receive, 2 send, 3 both", mode);
	int error = rte_eth_dev_flow_ctrl_get(port, &flow_control);
	flow_control.mode = (enum rte_eth_fc_mode)mode;
	if (!error)
		error = rte_eth_dev_flow_ctrl_set(port, &flow_control);
	return result(port, error, "flow control");
}

int ws_port_xstats(uint16_t port, struct ws_xstat *out, uint32_t max)
{
	int count = rte_eth_xstats_get(port, NULL, 0);
	if (count < 0)
		return result(port, count, "counters");
	struct rte_eth_xstat *values = calloc((size_t)count + 1, sizeof(*values));
	struct rte_eth_xstat_name *names = calloc((size_t)count + 1, sizeof(*names));
	int valued = values ? rte_eth_xstats_get(port, values, (unsigned)count) : -ENOMEM;
	int named = names ? rte_eth_xstats_get_names(port, names, (unsigned)count) : -ENOMEM;
	for (int i = 0; valued == count && named == count && i < count && (uint32_t)i < max; i++) {
		memcpy(out[i].name, names[values[i].id].name, sizeof(out[i].name));
		out[i].value = values[i].value;
	}
	free(values);
	free(names);
	if (valued != count || named != count)
		return result(port, valued < 0 ? valued : -EIO, "counters");
	return count;
}
