/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of open ports. */
#include "dev/error.h"
#include "dev/link.h"
#include "dev/port.h"
#include "dev/port_table.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <string.h>

static int result(uint16_t port, int error, const char *what)
{
	return error ? fail(error, "port %s: %s: %s", port_name(port), what, strerror(-error)) : 0;
}

int ws_port_set_promiscuous(uint16_t port, bool on)
{
	if (port_check(port))
		return -ENODEV;
	struct port *p = port_at(port);
	int error = p->kind->set_promiscuous ? p->kind->set_promiscuous(p, on) : 0;
	if (!error)
		p->promiscuous = on;
	return result(port, error, "promiscuous mode cannot be changed");
}

bool port_filters_groups(uint16_t port)
{
	return port_is_open(port) && port_at(port)->filters_groups;
}

void port_set_groups(uint16_t port, const uint8_t (*groups)[6], uint32_t count)
{
	struct port *p = port_at(port);
	if (p->kind->set_groups)
		p->kind->set_groups(p, (const struct rte_ether_addr *)groups, count);
}

int ws_port_set_link(uint16_t port, bool up)
{
	if (port_check(port))
		return -ENODEV;
	struct port *p = port_at(port);
	return result(port, p->kind->set_link ? p->kind->set_link(p, up) : -ENOTSUP,
				  "link state cannot be changed");
}

int64_t ws_port_link_losses(uint16_t port)
{
	return port_check(port) ? -ENODEV : link_losses(port);
}

int ws_port_set_mac(uint16_t port, const uint8_t *mac)
{
	struct rte_ether_addr address;
	if (port_check(port))
		return -ENODEV;
	struct port *p = port_at(port);
	memcpy(&address, mac, sizeof(address));
	int error = p->kind->set_mac ? p->kind->set_mac(p, &address) : 0;
	if (!error)
		p->mac = address;
	return result(port, error, "MAC address cannot be changed");
}

int ws_port_set_mtu(uint16_t port, uint16_t mtu)
{
	if (port_check(port))
		return -ENODEV;
	struct port *p = port_at(port);
	int error = p->kind->set_mtu ? p->kind->set_mtu(p, mtu) : 0;
	if (!error)
		p->mtu = mtu;
	return error;
}
