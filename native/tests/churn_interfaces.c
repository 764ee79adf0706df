/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/bonds.h"
#include "wirespeed/bridges.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/ports.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"
#include "wirespeed/urpf.h"
#include "wirespeed/vxlan.h"

#include <stdio.h>
#include <unistd.h>

enum { DOMAIN = 9, BVI = 9, LOOPBACK = 5 };

static uint16_t made(int index, const char *what)
{
	churn_expect(index, what);
	return (uint16_t)index;
}

static void delete (struct ws_router *router, uint16_t index)
{
	churn_expect(ws_router_interface_delete(router, index), "interface away");
}

static void come_up(struct ws_router *router, uint16_t index, struct ws_prefix address)
{
	churn_expect(ws_router_set_state(router, index, true), "interface up");
	churn_expect(ws_router_address_add(router, index, address), "address");
}

static uint16_t vlan_on(struct ws_router *router, uint16_t port, uint16_t vlan)
{
	const struct ws_subinterface sub = {.id = vlan, .outer = vlan, .exact = true};
	uint16_t index = made(ws_router_subinterface_add(router, port, &sub), "sub-interface");
	churn_expect(ws_router_set_state(router, index, true), "sub-interface up");
	return index;
}

/* It routes. */
static void sub_interface(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	if (!on) {
		delete (router, index);
		return;
	}
	index = vlan_on(router, 0, CHURN_FIRST_VLAN);
	churn_expect(ws_router_address_add(router, index, PREFIX(10, CHURN_FIRST_VLAN, 0, 1, 24)),
				 "address");
	if (churn_draw(row, 2))
		churn_expect(
			ws_router_neighbor_add(router, index, ADDRESS(10, CHURN_FIRST_VLAN, 0, 2), rig_host[0]),
			"neighbour");
}

static void cross_connect(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t ends[2];
	(void)row;
	for (uint16_t i = 0; i < 2; i++)
		if (on)
			ends[i] = vlan_on(router, i, CHURN_FIRST_VLAN + 1);
	for (uint16_t i = 0; i < 2 && on; i++)
		churn_expect(ws_router_set_xconnect(router, ends[i], ends[!i]), "cross-connect");
	for (uint16_t i = 0; i < 2 && !on; i++)
		churn_expect(ws_router_set_l3(router, ends[i]), "no cross-connect");
	for (uint16_t i = 0; i < 2 && !on; i++)
		delete (router, ends[i]);
}

/* Three VLANs, their tags taken off, and an interface of the domain's own. */
static void bridge(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t ports[3], bvi;
	const struct ws_tag_rewrite pop = {.pop = 1};
	(void)row;
	if (on) {
		for (uint16_t i = 0; i < 3; i++) {
			ports[i] = vlan_on(router, i, CHURN_FIRST_VLAN + 2);
			churn_expect(ws_router_set_bridge(router, ports[i], DOMAIN, false, 0), "bridge");
			churn_expect(ws_router_set_tag_rewrite(router, ports[i], &pop), "rewrite");
		}
		bvi = made(ws_router_loopback_add(router, BVI, NULL), "loopback");
		churn_expect(ws_router_set_bridge(router, bvi, DOMAIN, true, 0), "BVI");
		come_up(router, bvi, PREFIX(10, CHURN_FIRST_VLAN + 2, 0, 1, 24));
		return;
	}
	ws_router_l2fib_flush(router);
	churn_expect(ws_router_set_l3(router, bvi), "BVI out");
	delete (router, bvi);
	for (uint16_t i = 0; i < 3; i++) {
		churn_expect(ws_router_set_l3(router, ports[i]), "out of the bridge");
		delete (router, ports[i]);
	}
	churn_expect(ws_router_bridge_domain_del(router, DOMAIN), "domain away");
}

/* What the bridge's domain does, be the bridge there or not. */
static void domain(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_bridge_domain wanted = {
		.id = DOMAIN,
		.learn = !on || churn_draw(row, 2),
		.forward = !on || churn_draw(row, 2),
		.flood = !on || churn_draw(row, 2),
		.uu_flood = !on || churn_draw(row, 2),
	};
	churn_expect(ws_router_bridge_domain_set(router, &wanted), "domain");
}

/* In a table of its own. */
static void other_table(struct ws_router *router, uint64_t *row, bool on)
{
	enum { TABLE = 8 };
	static uint16_t index;
	(void)row;
	if (!on) {
		delete (router, index);
		for (int i = 0; i < 2; i++)
			churn_expect(ws_router_table_del(router, i ? WS_IP6 : WS_IP4, TABLE), "table away");
		return;
	}
	index = vlan_on(router, 1, CHURN_FIRST_VLAN + 3);
	for (int i = 0; i < 2; i++) {
		churn_expect(ws_router_table_add(router, i ? WS_IP6 : WS_IP4, TABLE, "other"), "table");
		churn_expect(ws_router_set_table(router, index, i ? WS_IP6 : WS_IP4, TABLE), "its table");
	}
	churn_expect(ws_router_address_add(router, index, PREFIX(10, CHURN_FIRST_VLAN + 3, 0, 1, 24)),
				 "address");
}

/* And one that uses its addresses. */
static void loopback(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index, borrower;
	(void)row;
	if (!on) {
		delete (router, borrower);
		delete (router, index);
		return;
	}
	index = made(ws_router_loopback_add(router, LOOPBACK, NULL), "loopback");
	come_up(router, index, PREFIX(10, 200, 0, 1, 32));
	borrower = vlan_on(router, 2, CHURN_FIRST_VLAN + 3);
	churn_expect(ws_router_set_unnumbered(router, borrower, index), "unnumbered");
}

static void bond(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	const struct ws_bond wanted = {
		.mode = WS_BOND_ROUND_ROBIN + (int)churn_draw(row, WS_BOND_LACP),
		.has_mac = true,
		.mac = {2, 0, 0, 0, 0, CHURN_BONDED},
	};
	if (!on) {
		delete (router, index);
		return;
	}
	index = made(ws_router_bond_add(router, &wanted), "bond");
	churn_expect(ws_router_bond_member_add(router, index, CHURN_BONDED, false, false), "member");
	come_up(router, index, PREFIX(10, 0, CHURN_BONDED, 1, 24));
	for (uint8_t family = 0; family < FAMILIES; family++)
		churn_expect(ws_router_set_urpf(router, index, family ? WS_IP6 : WS_IP4, true,
										(int32_t)churn_draw(row, WS_URPF_STRICT + 1), -1),
					 "uRPF of a bond");
}

static void tunnel(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	const struct ws_vxlan_tunnel wanted = {
		.source = ADDRESS(10, 0, 0, 1), .destination = ADDRESS(10, 0, 0, 2), .vni = CHURN_VNI};
	(void)row;
	if (!on) {
		delete (router, index);
		return;
	}
	index = made(ws_router_vxlan_add(router, &wanted), "tunnel");
	come_up(router, index, PREFIX(10, 201, 0, 1, 24));
}

/* Graphs are made anew for it, and it is polled. */
static void port(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	struct ws_port_config config = {
		.name = "further",
		.rx_queues = 1,
		.tx_queues = 8, /* a worker each needs one */
		.rx_descriptors = 256,
		.tx_descriptors = 256,
		.mtu = 1500,
	};
	if (churn_draw(row, 2))
		snprintf(config.devargs, sizeof(config.devargs), "memif:@churn-%d,role=server", getpid());
	else
		snprintf(config.devargs, sizeof(config.devargs), "net_null1,no-rx=1");
	if (!on) {
		delete (router, index);
		return;
	}
	index = made(ws_router_port_add(router, &config), "port");
	come_up(router, index, PREFIX(10, 202, 0, 1, 24));
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

churn_change *const churn_of_interfaces[] = {
	sub_interface, cross_connect, bridge, domain, other_table, loopback,  bond, tunnel,
	port,          state,         links,  mtu,    mac,         addresses, NULL,
};
