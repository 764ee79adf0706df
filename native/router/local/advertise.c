/* SPDX-License-Identifier: Apache-2.0 */
/* Router advertisements (RFC 4861 section 6.2), built and sent by the main thread. */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_due.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "router/local/local.h"
#include "router/module.h"
#include "router/packet/output.h"
#include "router/worker/main_input.h"
#include "wire/nd.h"

#include <errno.h>
#include <rte_cycles.h>

static struct router_module advertise_module;

struct interface_due *advertisements_due(const struct ws_router *router)
{
	return module_state(router, &advertise_module);
}

enum {
	HOP_LIMIT = 64,
	/* RFC 4861 sections 6.2.1 and 10. */
	VALID_S = 30 * 24 * 3600,
	PREFERRED_S = 7 * 24 * 3600,
	LEAST_INTERVAL_S = 3,
	MOST_INTERVAL_S = 1800,
	MOST_LIFETIME_S = 9000,
	BETWEEN_MULTICASTS_S = 3,
};

static bool is_given(const struct ws_ip6_advertising *advertising, const struct ws_prefix *prefix)
{
	for (uint16_t i = 0; i < advertising->prefix_count; i++)
		if (prefix_equal(&advertising->prefixes[i].prefix, prefix))
			return true;
	return false;
}

static void add_prefix(struct nd_router *out, const struct ws_ip6_advertised *given)
{
	if (out->prefix_count == ND_MAX_PREFIXES)
		return;
	struct nd_prefix *prefix = &out->prefixes[out->prefix_count++];
	memcpy(prefix->address, given->prefix.address.bytes, sizeof(prefix->address));
	prefix->length = given->prefix.length;
	prefix->valid_s = given->valid_s;
	prefix->preferred_s = given->preferred_s;
	prefix->is_on_link = given->on_link;
	prefix->is_autonomous = given->autonomous;
}

static void describe_router(const struct ws_router *router, uint16_t index, struct nd_router *out)
{
	const struct ws_ip6_advertising *advertising = &ip6_settings(router, index)->advertising;
	const struct interface *interface = &router->interfaces[index];
	*out = (struct nd_router){
		.hop_limit = HOP_LIMIT,
		.is_managed = advertising->managed,
		.is_other = advertising->other,
		.lifetime_s = advertising->lifetime_s,
		.mtu = interface->mtu,
	};
	memcpy(out->mac, interface->mac, sizeof(out->mac));
	for (uint16_t i = 0; i < advertising->prefix_count; i++)
		add_prefix(out, &advertising->prefixes[i]);
	for (uint16_t i = 0; i < interface->addresses->count; i++) {
		struct ws_ip6_advertised own = {
			.prefix = prefix_network(interface->addresses->at[i]),
			.valid_s = VALID_S,
			.preferred_s = PREFERRED_S,
			.on_link = true,
			.autonomous = interface->addresses->at[i].length == 64,
		};
		if (own.prefix.address.family == WS_IP6 && own.prefix.length < 128 &&
			!is_given(advertising, &own.prefix))
			add_prefix(out, &own);
	}
}

/* Send to the address `to` of the station `mac`. */
static void send_advertisement(struct ws_router *router, uint16_t index, const uint8_t *to,
							   const uint8_t *mac)
{
	uint8_t message[ND_MAX_ADVERTISEMENT_LEN];
	struct nd_router content;
	describe_router(router, index, &content);
	uint16_t length = nd_write_router(message, &content);
	struct rte_mbuf *packet = main_packet(index, IP6_LEN + length);
	if (!packet)
		return;
	ip6_write(packet_data(packet), length, IP6_ICMP, ND_HOP_LIMIT, router->ip6[index]->link_local,
			  to);
	memcpy(packet_data(packet) + IP6_LEN, message, length);
	icmp6_set_checksum(packet_data(packet));
	main_send(router, packet, mac, ETHERNET_IP6);
}

static bool is_advertising(const struct ws_router *router, uint16_t index)
{
	return router->ip6[index] && !router->ip6[index]->is_tentative &&
		   router->interfaces[index].usable && ip6_settings(router, index)->advertising.is_on;
}

/* Schedule the next advertisement; none if the interface does not advertise. */
static void arm(struct ws_router *router, uint16_t index)
{
	if (is_advertising(router, index))
		interface_due_at(advertisements_due(router), index,
						 ip6_settings(router, index)->next_advertisement_tsc);
	else
		interface_due_never(advertisements_due(router), index);
}

static void send_to_all(struct ws_router *router, uint16_t index, uint64_t now)
{
	struct ip6_settings *settings = ip6_settings(router, index);
	const struct ws_ip6_advertising *advertising = &settings->advertising;
	uint8_t all[IP6_ADDRESS_LEN], mac[ETHERNET_ADDRESS_LEN];
	uint64_t least = advertising->min_interval_s * router->tsc_hz;
	uint64_t most = advertising->max_interval_s * router->tsc_hz;
	ip6_all_nodes(all);
	ip6_multicast_mac(mac, all);
	send_advertisement(router, index, all, mac);
	settings->advertised_tsc = now;
	/* At a random time between the two (section 6.2.4); the TSC's low bits are random enough. */
	settings->next_advertisement_tsc = now + least + (most > least ? now % (most - least) : 0);
	arm(router, index);
}

/* A solicitation with address and MAC address gets its own reply; all others get a common one,
 * soon. */
static void router_solicited(struct ws_router *router, const struct router_event *event)
{
	struct ip6_settings *settings = ip6_settings(router, event->interface);
	uint64_t soonest = settings->advertised_tsc + BETWEEN_MULTICASTS_S * router->tsc_hz;
	if (!is_advertising(router, event->interface))
		return;
	if (event->flags & NEIGHBOR_HAS_MAC)
		send_advertisement(router, event->interface, event->address.bytes, event->mac);
	else if (settings->next_advertisement_tsc > soonest) {
		settings->next_advertisement_tsc = soonest;
		arm(router, event->interface);
	}
}

static void router_advertise(struct ws_router *router)
{
	uint64_t now = rte_rdtsc();
	uint16_t i;
	for (int done = 0;
		 done < MAIN_INPUT_A_POLL && interface_due_take(advertisements_due(router), now, &i);
		 done++)
		send_to_all(router, i, now);
}

static int check_prefix(const struct ws_ip6_advertised *given)
{
	if (given->prefix.address.family != WS_IP6 || given->prefix.length > 128 ||
		address_is_link_local(&given->prefix.address))
		return fail(-EINVAL, "%s/%u cannot be advertised; give a global IPv6 prefix",
					ADDRESS_TEXT(&given->prefix.address), given->prefix.length);
	if (given->preferred_s > given->valid_s)
		return fail(-EINVAL, "prefix %s/%u cannot be preferred for %u s and valid for only %u s",
					ADDRESS_TEXT(&given->prefix.address), given->prefix.length, given->preferred_s,
					given->valid_s);
	return 0;
}

int ws_router_set_advertising(struct ws_router *router, uint16_t index,
							  const struct ws_ip6_advertising *advertising)
{
	int error = router_check_interface(router, index);
	if (error)
		return error;
	if (advertising->min_interval_s < LEAST_INTERVAL_S ||
		advertising->max_interval_s > MOST_INTERVAL_S ||
		advertising->min_interval_s > advertising->max_interval_s)
		return fail(
			-EINVAL,
			"the interval of router advertisements must be %d to %d s with the minimum below "
			"the maximum, not %u to %u",
			LEAST_INTERVAL_S, MOST_INTERVAL_S, advertising->min_interval_s,
			advertising->max_interval_s);
	if (advertising->lifetime_s > MOST_LIFETIME_S)
		return fail(-EINVAL, "router lifetime too long: at most %d s, not %u", MOST_LIFETIME_S,
					advertising->lifetime_s);
	if (advertising->prefix_count > WS_MAX_ADVERTISED)
		return fail(-EINVAL, "an interface advertises at most %d prefixes; remove one first",
					WS_MAX_ADVERTISED);
	for (uint16_t i = 0; i < advertising->prefix_count; i++)
		if ((error = check_prefix(&advertising->prefixes[i])))
			return error;
	ip6_settings(router, index)->advertising = *advertising;
	ip6_settings(router, index)->next_advertisement_tsc = 0; /* at once */
	arm(router, index);
	return 0;
}

static int watch_advertising(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change == INTERFACE_LEAVES)
		interface_due_never(advertisements_due(router), index);
	else if (change == INTERFACE_USABLE_CHANGED || change == INTERFACE_ADDRESSES_CHANGED ||
			 change == INTERFACE_GOT_IP6 || change == INTERFACE_LOST_IP6)
		arm(router, index);
	return 0;
}
INTERFACE_WATCH(watch_advertising)

/* In this order, a bond that has come up and an address that has come into use are advertised in
 * the same poll. */
ROUTER_MODULE(advertise_module, .name = "advertise", .after = {"lacp", "dad"},
			  .state_size = sizeof(struct interface_due), .poll = router_advertise)

ROUTER_EVENT(EVENT_ROUTER_SOLICITED, router_solicited)
