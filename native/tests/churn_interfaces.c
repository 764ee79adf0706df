/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/ports.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <stdio.h>
#include <unistd.h>

enum { LOOPBACK = 5 };

uint16_t churn_made(int index, const char *what)
{
	churn_expect(index, what);
	return (uint16_t)index;
}

void churn_delete(struct ws_router *router, uint16_t index)
{
	churn_expect(ws_router_interface_delete(router, index), "interface away");
}

void churn_come_up(struct ws_router *router, uint16_t index, struct ws_prefix address)
{
	churn_expect(ws_router_set_state(router, index, true), "interface up");
	churn_expect(ws_router_address_add(router, index, address), "address");
}

uint16_t churn_vlan_on(struct ws_router *router, uint16_t port, uint16_t vlan)
{
	const struct ws_subinterface sub = {.id = vlan, .outer = vlan, .exact = true};
	uint16_t index = churn_made(ws_router_subinterface_add(router, port, &sub), "sub-interface");
	churn_expect(ws_router_set_state(router, index, true), "sub-interface up");
	return index;
}

/* The sub-interface routes. */
static void sub_interface(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	if (!on) {
		churn_delete(router, index);
		return;
	}
	index = churn_vlan_on(router, 0, CHURN_FIRST_VLAN);
	churn_expect(ws_router_address_add(router, index, PREFIX(10, CHURN_FIRST_VLAN, 0, 1, 24)),
				 "address");
	if (churn_draw(row, 2))
		churn_expect(
			ws_router_neighbor_add(router, index, ADDRESS(10, CHURN_FIRST_VLAN, 0, 2), rig_host[0]),
			"neighbour");
}

/* The interface is in a table of its own. */
static void other_table(struct ws_router *router, uint64_t *row, bool on)
{
	enum { TABLE = 8 };
	static uint16_t index;
	(void)row;
	if (!on) {
		churn_delete(router, index);
		for (int i = 0; i < 2; i++)
			churn_expect(ws_router_table_del(router, i ? WS_IP6 : WS_IP4, TABLE), "table away");
		return;
	}
	index = churn_vlan_on(router, 1, CHURN_FIRST_VLAN + 3);
	for (int i = 0; i < 2; i++) {
		churn_expect(ws_router_table_add(router, i ? WS_IP6 : WS_IP4, TABLE, "other"), "table");
		churn_expect(ws_router_set_table(router, index, i ? WS_IP6 : WS_IP4, TABLE), "its table");
	}
	churn_expect(ws_router_address_add(router, index, PREFIX(10, CHURN_FIRST_VLAN + 3, 0, 1, 24)),
				 "address");
}

/* And an interface that uses its addresses. */
static void loopback(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index, borrower;
	(void)row;
	if (!on) {
		churn_delete(router, borrower);
		churn_delete(router, index);
		return;
	}
	index = churn_made(ws_router_loopback_add(router, LOOPBACK, NULL), "loopback");
	churn_come_up(router, index, PREFIX(10, 200, 0, 1, 32));
	borrower = churn_vlan_on(router, 2, CHURN_FIRST_VLAN + 3);
	churn_expect(ws_router_set_unnumbered(router, borrower, index), "unnumbered");
}

/* New graphs are made for it, and it is polled. */
static void port(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	struct ws_port_config config = {
		.name = "further",
		.rx_queues = 1,
		.tx_queues = 8, /* one per worker */
		.rx_descriptors = 256,
		.tx_descriptors = 256,
		.mtu = 1500,
	};
	if (churn_draw(row, 2))
		snprintf(config.devargs, sizeof(config.devargs), "memif:@churn-%d,role=server", getpid());
	else
		snprintf(config.devargs, sizeof(config.devargs), "net_null1,no-rx=1");
	if (!on) {
		churn_delete(router, index);
		return;
	}
	index = churn_made(ws_router_port_add(router, &config), "port");
	churn_come_up(router, index, PREFIX(10, 202, 0, 1, 24));
}

static void state(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	churn_expect(ws_router_set_state(router, 2, !on), "state");
}

static void links(struct ws_router *router, uint64_t *row, bool on)
{
	uint16_t gone[WS_MAX_PORTS];
	(void)row;
	churn_expect(ws_port_set_link(1, !on), "link");
	churn_expect(ws_router_follow_links(router, gone), "links");
}

static void mtu(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	churn_expect(ws_router_set_mtu(router, 1, on ? 600 : 1500), "MTU");
	churn_expect(ws_router_set_protocol_mtu(router, 2, WS_MTU_IP4, on ? 700 : 0), "MTU of IPv4");
}

static void mac(struct ws_router *router, uint64_t *row, bool on)
{
	const uint8_t other[6] = {2, 0xdd, 0, 0, 0, (uint8_t)churn_draw(row, 256)};
	churn_expect(ws_router_set_mac(router, 2, on ? other : CHURN_ROUTER_MAC(2)), "MAC");
}

static void addresses(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_prefix prefixes[] = {PREFIX(10, 203, 0, 1, 24),
										 {CHURN_IP6(CHURN_FURTHER, 1), 64}};
	(void)row;
	for (int i = 0; i < 2; i++)
		churn_expect(on ? ws_router_address_add(router, 0, prefixes[i])
						: ws_router_address_del(router, 0, prefixes[i]),
					 "further address");
}

CHURN(sub_interface)
CHURN(other_table)
CHURN(loopback)
CHURN(port)
CHURN(state)
CHURN(links)
CHURN(mtu)
CHURN(mac)
CHURN(addresses)
