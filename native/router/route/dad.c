/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Duplicate address detection (RFC 4862 section 5.4): a new IPv6 address of an interface is
 * tentative until it was probed on the link without a reply. Main thread.
 *
 * Tentative addresses are at the end of the interface's list, after those in use: workers receive
 * packets to its solicited-node group, report stations that have the address, and do nothing else
 * for it; it has no routes. A duplicate stays in the list until it is deleted or the interface
 * comes up again. Probes are sent only while the interface is usable.
 */
#include "router/route/dad.h"
#include "router/event.h"

#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "router/packet/metadata.h"
#include "router/worker/main_input.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/nd.h"
#include "wirespeed/dad.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN_S = 1 }; /* RETRANS_TIMER of RFC 4861 section 10 */

static struct dad *make_state(struct ws_router *router)
{
	struct dad *dad = dad_of(router);
	if (dad)
		return dad;
	dad = calloc(1, sizeof(*dad));
	if (!dad)
		fail(-ENOMEM, "no memory for duplicate address detection");
	module_set_state(router, &dad_module, dad);
	return dad;
}

/* ---- Probes ---- */

static int64_t find(const struct dad *dad, uint16_t index, const struct ws_address *address)
{
	for (uint32_t i = 0; dad && i < dad->count; i++)
		if (dad->probes[i].interface == index && address_equal(&dad->probes[i].address, address))
			return i;
	return -1;
}

static void restart(struct dad_probe *probe)
{
	probe->sent = 0;
	probe->is_duplicate = false;
	probe->due_tsc = 0;
}

static void begin(struct ws_router *router, uint16_t index, const struct ws_address *address)
{
	struct dad *dad = make_state(router);
	if (!dad || find(dad, index, address) >= 0)
		return;
	if (dad->count == dad->capacity) {
		uint32_t capacity = dad->capacity ? dad->capacity * 2 : 16;
		struct dad_probe *larger = realloc(dad->probes, capacity * sizeof(*larger));
		if (!larger)
			return; /* it stays tentative until the interface comes up again */
		dad->probes = larger;
		dad->capacity = capacity;
	}
	dad->probes[dad->count++] = (struct dad_probe){.address = *address, .interface = index};
}

static bool has_tentative(const struct address_list *list, const struct ws_address *address)
{
	for (uint16_t i = list->count; i < list->given; i++)
		if (address_equal(&list->at[i].address, address))
			return true;
	return false;
}

/* True for an address that the interface has but does not use yet, such as a tentative link-local
 * one. */
static bool is_waiting(const struct ws_router *router, uint16_t index,
					   const struct ws_address *address)
{
	const struct ip6_interface *ip6 = router->ip6[index];
	if (ip6 && ip6->is_tentative && ip6_is_equal(ip6->link_local, address->bytes))
		return true;
	return has_tentative(router->settings[index].addresses, address);
}

/* Have one probe per waiting address. */
static void follow(struct ws_router *router, uint16_t index)
{
	const struct address_list *list = router->settings[index].addresses;
	const struct ip6_interface *ip6 = router->ip6[index];
	struct dad *dad = dad_of(router);
	for (uint32_t i = 0; dad && i < dad->count;)
		if (dad->probes[i].interface == index &&
			!is_waiting(router, index, &dad->probes[i].address))
			dad->probes[i] = dad->probes[--dad->count];
		else
			i++;
	for (uint16_t i = list->count; i < list->given; i++)
		begin(router, index, &list->at[i].address);
	if (ip6 && ip6->is_tentative) {
		const struct ws_address link_local = address_of_ip6(ip6->link_local);
		begin(router, index, &link_local);
	}
}

/* ---- Sending ---- */

/* Send from the unspecified address to the solicited-node group, without a MAC address option. */
static void ask(struct ws_router *router, const struct dad_probe *probe)
{
	uint8_t none[IP6_ADDRESS_LEN] = {0}, group[IP6_ADDRESS_LEN], mac[ETHERNET_ADDRESS_LEN];
	struct rte_mbuf *packet = main_packet(probe->interface, IP6_LEN + ND_NEIGHBOR_LEN);
	if (!packet)
		return;
	ip6_solicited_node(group, probe->address.bytes);
	ip6_multicast_mac(mac, group);
	nd_write_solicitation(packet_data(packet), none, group, probe->address.bytes, NULL);
	main_send(router, packet, mac, ETHERNET_IP6);
}

static void use(struct ws_router *router, const struct dad_probe *probe)
{
	const struct dad_probe settled =
		*probe; /* a copy, since the calls below remove it from the list */
	struct ip6_settings *settings = ip6_settings(router, settled.interface);
	if (!address_is_link_local(&settled.address)) {
		address_settle(router, settled.interface, &settled.address, true);
		return;
	}
	settings->has_checked = true;
	router_update_ip6(router, settled.interface);
	interface_changed(router, settled.interface, INTERFACE_ADDRESSES_CHANGED);
}

/* A finished probe leaves the list. */
static void run(struct ws_router *router, struct dad_probe *probe, uint64_t now, uint32_t *asked)
{
	bool is_wanted = ip6_wants_dad(router, probe->interface);
	bool is_usable = router->interfaces[probe->interface].usable;
	if (probe->is_duplicate || (is_wanted && (!is_usable || now < probe->due_tsc)))
		return;
	if (!is_wanted || probe->sent >= ip6_settings(router, probe->interface)->dad_transmits) {
		use(router, probe);
		return;
	}
	if (*asked == MAIN_INPUT_A_POLL)
		return;
	ask(router, probe);
	probe->sent++;
	probe->due_tsc = now + BETWEEN_S * router->tsc_hz;
	++*asked;
}

/* Probe all addresses of the interface again (section 5.4: when an interface is enabled). */
static void begin_anew(struct ws_router *router, uint16_t index)
{
	const struct address_list *list;
	dad_of(router)->begins_anew[index] = false;
	dad_of(router)->anew_count--;
	for (uint32_t i = 0; i < dad_of(router)->count; i++)
		if (dad_of(router)->probes[i].interface == index)
			restart(&dad_of(router)->probes[i]);
	ip6_settings(router, index)->has_checked = false;
	router_update_ip6(router, index);
	for (uint16_t i = 0; i < (list = router->settings[index].addresses)->count;)
		if (list->at[i].address.family != WS_IP6 ||
			address_settle(router, index, &list->at[i].address, false))
			i++;
	follow(router, index);
}

static void router_dad_run(struct ws_router *router)
{
	struct dad *dad = dad_of(router);
	uint32_t asked = 0;
	if (!dad)
		return;
	for (uint16_t i = 0; dad->anew_count && i < router->interface_count; i++)
		if (dad->begins_anew[i])
			begin_anew(router, i);
	uint64_t now = dad->count ? rte_rdtsc() : 0;
	/* Backwards, since a finished probe is replaced by the last one. */
	for (uint32_t i = dad->count; i-- > 0;)
		if (i < dad->count)
			run(router, &dad->probes[i], now, &asked);
}

/* A station has a tentative address of the router, or probes it for its own use. */
static void router_dad_taken(struct ws_router *router, const struct router_event *event)
{
	struct dad *dad = dad_of(router);
	int64_t at = find(dad, event->interface, &event->address);
	if (at < 0 || dad->probes[at].is_duplicate)
		return;
	dad->probes[at].is_duplicate = true;
	if (dad->conflict_count == DAD_MOST_CONFLICTS)
		return;
	struct ws_dad_conflict *conflict = &dad->conflicts[dad->conflict_count++];
	*conflict = (struct ws_dad_conflict){.interface = event->interface, .address = event->address};
	memcpy(conflict->mac, event->mac, sizeof(conflict->mac));
}

/* ---- Settings and state ---- */

int ws_router_set_dad(struct ws_router *router, int32_t interface, uint32_t transmits)
{
	bool is_all = interface == WS_DAD_ALL_INTERFACES;
	if (transmits > WS_DAD_MOST_TRANSMITS)
		return fail(-EINVAL, "give 0 to %d solicitations, not %u", WS_DAD_MOST_TRANSMITS,
					transmits);
	if (!is_all && (interface < 0 || interface > UINT16_MAX))
		return fail(-ENODEV, "there is no interface %d; show interface lists them", interface);
	if (!is_all && router_check_interface(router, (uint16_t)interface))
		return -ENODEV;
	if (!make_state(router))
		return -ENOMEM;
	if (is_all)
		dad_of(router)->transmits = (uint8_t)transmits;
	for (uint16_t i = 0; i < router->interface_count; i++)
		if ((is_all && *interface_name(router, i)) || i == interface) {
			struct ip6_settings *settings = ip6_settings(router, i);
			/* A link-local address in use is not probed again. */
			settings->has_checked |=
				!settings->dad_transmits && router->ip6[i] && !router->ip6[i]->is_tentative;
			settings->dad_transmits = (uint8_t)transmits;
		}
	return 0;
}

int ws_router_dad(struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	return error ? error : ip6_settings(router, index)->dad_transmits;
}

int ws_router_dad_state(struct ws_router *router, uint16_t index, struct ws_address address)
{
	int error = router_check_interface(router, index);
	if (error || !is_waiting(router, index, &address))
		return error ? error : WS_DAD_USED;
	int64_t at = find(dad_of(router), index, &address);
	return at >= 0 && dad_of(router)->probes[at].is_duplicate ? WS_DAD_DUPLICATE : WS_DAD_TENTATIVE;
}

int ws_router_dad_conflicts(struct ws_router *router, struct ws_dad_conflict *out, uint32_t max)
{
	struct dad *dad = dad_of(router);
	uint32_t taken = dad ? RTE_MIN(dad->conflict_count, max) : 0;
	if (!taken)
		return 0;
	memcpy(out, dad->conflicts, taken * sizeof(*out));
	dad->conflict_count -= taken;
	memmove(dad->conflicts, dad->conflicts + taken, dad->conflict_count * sizeof(*out));
	return (int)taken;
}

static void dad_free(struct ws_router *router)
{
	if (dad_of(router))
		free(dad_of(router)->probes);
}

static void comes_up(struct ws_router *router, uint16_t index)
{
	if (!ip6_wants_dad(router, index) || !make_state(router) || dad_of(router)->begins_anew[index])
		return;
	dad_of(router)->begins_anew[index] = true;
	dad_of(router)->anew_count++;
}

static int watch_addresses_in_doubt(struct ws_router *router, uint16_t index,
									enum interface_change change)
{
	if (change == INTERFACE_MADE && dad_of(router))
		ip6_settings(router, index)->dad_transmits = dad_of(router)->transmits;
	else if (change == INTERFACE_USABLE_CHANGED && router->interfaces[index].usable)
		comes_up(router, index);
	if (change == INTERFACE_ADDRESSES_CHANGED || change == INTERFACE_GOT_IP6 ||
		change == INTERFACE_LOST_IP6 || change == INTERFACE_MAC_CHANGED)
		follow(router, index);
	return 0;
}
INTERFACE_WATCH(watch_addresses_in_doubt)

ROUTER_MODULE_EXTERN(dad_module, .name = "dad", .after = {"lacp"}, .poll = router_dad_run,
					 .free = dad_free)

ROUTER_EVENT(EVENT_ADDRESS_TAKEN, router_dad_taken)
