/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listener reports (RFC 3810), so that switches with MLD snooping pass neighbour discovery. They
 * are replies to queries, at most one per second and interface. While IPv6 addresses are announced,
 * two unsolicited reports a second apart follow a change of an interface's groups, or its coming up
 * (section 6.1). Built and sent by the main thread.
 */
#include "wire/mld.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_due.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "router/local/local.h"
#include "router/module.h"
#include "router/packet/output.h"
#include "router/worker/main_input.h"
#include "wirespeed/neighbors.h"

#include <rte_cycles.h>

static struct router_module mld_module;

struct interface_due *reports_due(const struct ws_router *router)
{
	return module_state(router, &mld_module);
}

/* All routers, and the solicited-node groups of a link-local address and of all other addresses. */
enum { MAX_GROUPS = 2 + WS_MAX_ADDRESSES, ROBUSTNESS = 2 };

static uint16_t add_group(uint8_t (*groups)[IP6_ADDRESS_LEN], uint16_t count, const uint8_t *group)
{
	for (uint16_t i = 0; i < count; i++)
		if (ip6_is_equal(groups[i], group))
			return count;
	memcpy(groups[count], group, IP6_ADDRESS_LEN);
	return count + 1;
}

/* Without the all-nodes group, which is never reported (section 6). */
static uint16_t collect_groups(const struct ws_router *router, uint16_t index,
							   uint8_t (*groups)[IP6_ADDRESS_LEN])
{
	const struct address_list *list = router->interfaces[index].addresses;
	uint8_t solicited[IP6_ADDRESS_LEN];
	ip6_all_routers(groups[0]);
	ip6_solicited_node(solicited, router->ip6[index]->link_local);
	uint16_t count = add_group(groups, 1, solicited);
	for (uint16_t i = 0; i < list->given; i++) {
		if (list->at[i].address.family != WS_IP6)
			continue;
		ip6_solicited_node(solicited, list->at[i].address.bytes);
		count = add_group(groups, count, solicited);
	}
	return count;
}

static void send_report(struct ws_router *router, uint16_t index)
{
	uint8_t groups[MAX_GROUPS][IP6_ADDRESS_LEN], to[IP6_ADDRESS_LEN], mac[ETHERNET_ADDRESS_LEN];
	static const uint8_t none[IP6_ADDRESS_LEN];
	uint16_t count = collect_groups(router, index, groups);
	uint16_t length = IP6_LEN + MLD_ROUTER_ALERT_LEN + MLD_REPORT_LEN;
	struct rte_mbuf *packet = main_packet(index, (uint16_t)(length + count * MLD_RECORD_LEN));
	if (!packet)
		return;
	/* From the unspecified address while the link-local one is tentative (section 5). */
	const struct ip6_interface *ip6 = router->ip6[index];
	mld_write_report(packet_data(packet), ip6->is_tentative ? none : ip6->link_local, groups,
					 count);
	mld_routers(to);
	ip6_multicast_mac(mac, to);
	main_send(router, packet, mac, ETHERNET_IP6);
}

/* At a random time within the querier's maximum delay, so that not all stations reply at once; the
 * TSC's low bits are random enough. */
static void router_mld_queried(struct ws_router *router, const struct router_event *event)
{
	struct ip6_settings *settings = ip6_settings(router, event->interface);
	uint64_t now = rte_rdtsc(), most = event->delay_ms * router->tsc_hz / 1000;
	uint64_t soonest = settings->reported_tsc ? settings->reported_tsc + router->tsc_hz : now;
	if (!interface_is_due(reports_due(router), event->interface))
		interface_due_at(reports_due(router), event->interface,
						 RTE_MAX(soonest, now + (most ? now % most : 0)));
}

static void router_mld_report(struct ws_router *router)
{
	uint64_t now = rte_rdtsc();
	uint16_t i;
	for (int done = 0; done < MAIN_INPUT_A_POLL && interface_due_take(reports_due(router), now, &i);
		 done++) {
		struct ip6_settings *settings = ip6_settings(router, i);
		if (settings->unasked_reports) {
			settings->unasked_reports--;
			interface_due_at(reports_due(router), i, now + router->tsc_hz);
		}
		settings->reported_tsc = now;
		if (router->ip6[i] && router->interfaces[i].admin_up)
			send_report(router, i);
	}
}

static int listening_changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	const struct interface *interface = &router->interfaces[index];
	struct ip6_settings *settings = ip6_settings(router, index);
	if (change == INTERFACE_LEAVES)
		interface_due_never(reports_due(router), index);
	if (change != INTERFACE_ADDRESSES_CHANGED && change != INTERFACE_USABLE_CHANGED)
		return 0;
	if (!ws_router_is_announcing(router, WS_IP6) || interface_is_paired(interface))
		return 0;
	bool is_due = router->ip6[index] && interface->usable;
	if (is_due)
		interface_due_at(reports_due(router), index, 0);
	else
		interface_due_never(reports_due(router), index);
	settings->unasked_reports = is_due ? ROBUSTNESS - 1 : 0;
	return 0;
}
INTERFACE_WATCH(listening_changed)

ROUTER_MODULE(mld_module, .name = "mld", .after = {"lacp", "dad"},
			  .state_size = sizeof(struct interface_due), .poll = router_mld_report)

ROUTER_EVENT(EVENT_MLD_QUERIED, router_mld_queried)
