/* SPDX-License-Identifier: Apache-2.0 */
/* The router's own pings: requests and replies. */
#include "router/local/echo.h"
#include "dev/error.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/local/local.h"
#include "router/neighbor/neighbor.h"
#include "router/packet/output.h"
#include "router/worker/main_input.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_PAYLOAD = 1400, IP4_HEADERS = IP4_LEN + ICMP4_LEN };

/* The interface with the address, or -1. */
static int interface_of(const struct ws_router *router, const struct ws_address *address)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->interfaces[i].addresses;
		for (uint16_t a = 0; a < list->count; a++)
			if (address_equal(&list->at[a].address, address))
				return i;
	}
	return -1;
}

/* The interface through which the destination is reached, or a negative errno. */
static int way_out(struct ws_router *router, const struct ws_echo *echo)
{
	struct ws_route route;
	if (echo->interface >= 0)
		return echo->interface;
	if (address_is_link_local(&echo->destination))
		return fail(-EINVAL, "link-local address %s needs an interface: ... source <interface>",
					ADDRESS_TEXT(&echo->destination));
	int own = interface_of(router, &echo->destination);
	if (own >= 0)
		return own;
	int error = ws_router_route_lookup(router, 0, echo->destination, &route);
	if (error)
		return error;
	for (uint16_t i = 0; i < route.path_count; i++)
		if (route.paths[i].interface >= 0)
			return route.paths[i].interface;
	return fail(-ENETUNREACH, "the route to %s has no interface; give the source interface",
				ADDRESS_TEXT(&echo->destination));
}

static void fill_payload(uint8_t *payload, uint16_t length)
{
	for (uint16_t i = 0; i < length; i++)
		payload[i] = (uint8_t)i;
}

static int echo_ip4(struct ws_router *router, const struct ws_echo *echo, uint16_t interface,
					uint32_t id)
{
	uint32_t source = ip4_source_address(router, interface, address_ip4(&echo->destination));
	if (!source)
		return fail(-EADDRNOTAVAIL, "the interface towards %s has no IPv4 address; add one",
					ADDRESS_TEXT(&echo->destination));
	uint16_t length = IP4_HEADERS + echo->payload_len;
	struct rte_mbuf *packet = main_packet(interface, length);
	if (!packet)
		return fail(-ENOBUFS, "no packet buffer is free; try again with less traffic");
	struct icmp4_header *icmp = (struct icmp4_header *)(void *)(packet_data(packet) + IP4_LEN);
	ip4_write(packet_data(packet), length, IP4_ICMP, LOCAL_TTL, htobe32(source),
			  htobe32(address_ip4(&echo->destination)));
	*icmp = (struct icmp4_header){
		.type = ICMP4_ECHO_REQUEST,
		.rest = {htobe16((uint16_t)(id >> 16)), htobe16((uint16_t)id)},
	};
	fill_payload((uint8_t *)(icmp + 1), echo->payload_len);
	icmp->checksum = checksum(icmp, ICMP4_LEN + echo->payload_len);
	return main_route(router, packet, MAIN_IP4_LOOKUP)
			   ? 0
			   : fail(-ENOBUFS, "too many pings wait; try again later");
}

/* Link-local addresses have no routes: the neighbour is resolved, or sent to. */
static int send_near(struct ws_router *router, struct rte_mbuf *packet, uint16_t interface,
					 const struct ws_address *to)
{
	const struct adjacency_table *table = &router->adjacencies;
	int64_t neighbor = adjacency_find(table, interface, to);
	if (neighbor < 0 || !adjacency_is_resolved(table, (uint32_t)neighbor)) {
		rte_pktmbuf_free(packet);
		router_neighbor_ask(router, interface, to, NULL);
		return 0;
	}
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	ip->hop_limit--;
	const uint8_t *mac = adjacency_mac(&table->adjacencies[neighbor]);
	return main_send(router, packet, mac, ETHERNET_IP6)
			   ? 0
			   : fail(-ENOBUFS, "too many pings wait; try again later");
}

static int echo_ip6(struct ws_router *router, const struct ws_echo *echo, uint16_t interface,
					uint32_t id)
{
	uint8_t source[IP6_ADDRESS_LEN];
	uint16_t length = ICMP6_LEN + echo->payload_len;
	if (!ip6_source_address(router, interface, echo->destination.bytes, source))
		return fail(
			-EADDRNOTAVAIL,
			"IPv6 is not enabled on the interface towards %s: enable ip6 interface <interface>",
			ADDRESS_TEXT(&echo->destination));
	struct rte_mbuf *packet = main_packet(interface, IP6_LEN + length);
	if (!packet)
		return fail(-ENOBUFS, "no packet buffer is free; try again with less traffic");
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)(packet_data(packet) + IP6_LEN);
	ip6_write(packet_data(packet), length, IP6_ICMP, LOCAL_TTL, source, echo->destination.bytes);
	*icmp = (struct icmp6_header){.type = ICMP6_ECHO_REQUEST, .rest = htobe32(id)};
	fill_payload((uint8_t *)(icmp + 1), echo->payload_len);
	icmp6_set_checksum(packet_data(packet));
	if (address_is_link_local(&echo->destination))
		return send_near(router, packet, interface, &echo->destination);
	return main_route(router, packet, MAIN_IP6_LOOKUP)
			   ? 0
			   : fail(-ENOBUFS, "too many pings wait; try again later");
}

int ws_router_echo(struct ws_router *router, const struct ws_echo *echo)
{
	if (!address_is_unicast(&echo->destination))
		return fail(-EINVAL, "%s is not a unicast address; give one",
					ADDRESS_TEXT(&echo->destination));
	if (echo->payload_len > MAX_PAYLOAD)
		return fail(-EINVAL, "a ping takes at most %d bytes, not %u", MAX_PAYLOAD,
					echo->payload_len);
	int interface = way_out(router, echo);
	if (interface < 0)
		return interface;
	if (router_check_interface(router, (uint16_t)interface))
		return -ENODEV;
	struct echo *own = echo_of(router);
	uint16_t sequence = ++own->sequence;
	uint32_t id = own->id << 16 | sequence;
	int error = echo->destination.family == WS_IP4
					? echo_ip4(router, echo, (uint16_t)interface, id)
					: echo_ip6(router, echo, (uint16_t)interface, id);
	return error ? error : sequence;
}

static void router_echo_replied(struct ws_router *router, const struct router_event *event)
{
	struct echo *own = echo_of(router);
	if (own->reply_count == ECHO_REPLIES)
		memmove(own->replies, own->replies + 1, --own->reply_count * sizeof(own->replies[0]));
	own->replies[own->reply_count++] = (struct ws_echo_reply){
		.source = event->address,
		.sequence = (uint16_t)event->echo,
		.length = event->length,
		.ttl = event->ttl,
		.tsc = event->tsc,
	};
}

int ws_router_echo_replies(struct ws_router *router, struct ws_echo_reply *out, uint32_t max)
{
	struct echo *own = echo_of(router);
	uint32_t n = RTE_MIN(max, own->reply_count);
	memcpy(out, own->replies, n * sizeof(*out));
	own->reply_count -= n;
	memmove(own->replies, own->replies + n, own->reply_count * sizeof(own->replies[0]));
	return (int)n;
}

static int echo_make(struct ws_router *router)
{
	struct echo *made = calloc(1, sizeof(*made));
	if (!made)
		return fail(-ENOMEM, "no memory for answers to pings");
	made->id = (uint32_t)getpid() & 0xffff;
	module_set_state(router, &echo_module, made);
	return 0;
}

ROUTER_MODULE_EXTERN(echo_module, .name = "echo", .make = echo_make)
ROUTER_EVENT(EVENT_ECHO_REPLY, router_echo_replied)
