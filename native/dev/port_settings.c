/* SPDX-License-Identifier: Apache-2.0 */
/* What can be changed on a port that is open. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/tap.h"
#include "wirespeed.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <string.h>

static int result(uint16_t port, int error, const char *what)
{
	return error ? fail(error, "port %s: %s: %s", port_name(port), what, rte_strerror(-error)) : 0;
}

int ws_port_set_promiscuous(uint16_t port, bool on)
{
	if (port_check(port))
		return -ENODEV;
	return result(port, on ? rte_eth_promiscuous_enable(port) : rte_eth_promiscuous_disable(port),
				  "promiscuous mode cannot be changed");
}

int ws_port_set_link(uint16_t port, bool up)
{
	if (port_check(port))
		return -ENODEV;
	if (tap_is_open(port))
		return result(port, tap_set_carrier(port, up), "link state cannot be changed");
	return result(port, up ? rte_eth_dev_set_link_up(port) : rte_eth_dev_set_link_down(port),
				  "link state cannot be changed");
}

int ws_port_set_mac(uint16_t port, const uint8_t *mac)
{
	struct rte_ether_addr address;
	if (port_check(port))
		return -ENODEV;
	memcpy(&address, mac, sizeof(address));
	return result(port, rte_eth_dev_default_mac_addr_set(port, &address),
				  "MAC address cannot be changed");
}

int ws_port_set_mtu(uint16_t port, uint16_t mtu)
{
	if (port_check(port))
		return -ENODEV;
	return result(port, rte_eth_dev_set_mtu(port, mtu), "MTU cannot be changed");
}
