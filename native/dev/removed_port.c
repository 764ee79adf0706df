/* SPDX-License-Identifier: Apache-2.0 */
/* The port kind of ports whose device was removed: they keep their names and counters. */
#include "dev/error.h"
#include "dev/port_kind.h"
#include "dev/port_table.h"

#include <errno.h>

static struct ws_port_counters last[WS_MAX_PORTS];

void removed_note_counters(const struct port *port)
{
	if (port->kind->counters(port, &last[port->index]))
		last[port->index] = (struct ws_port_counters){0};
}

static void nothing_to_close(struct port *port)
{
	(void)port;
}

static bool link_is_up(const struct port *port)
{
	(void)port;
	return false;
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	*out = last[port->index];
	return 0;
}

static int set_mac(struct port *port, const struct rte_ether_addr *mac)
{
	(void)port, (void)mac;
	return -ENODEV;
}

static int set_mtu(struct port *port, uint16_t mtu)
{
	(void)mtu;
	return fail(-ENODEV,
				"port %s: its device was removed; delete the port, or restart with the device",
				port->config.name);
}

static int set_promiscuous(struct port *port, bool on)
{
	(void)port, (void)on;
	return -ENODEV;
}

const struct port_kind removed_kind = {
	.prefix = "",
	.driver = "removed",
	.close = nothing_to_close,
	.link_is_up = link_is_up,
	.counters = counters,
	.set_mac = set_mac,
	.set_mtu = set_mtu,
	.set_promiscuous = set_promiscuous,
};
