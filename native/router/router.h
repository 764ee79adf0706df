/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The router: what its nodes read, what the main thread writes.
 *
 * Everything that a worker reads and the main thread changes is either one naturally aligned word
 * or reached through a pointer that is swapped, the old target freed after rcu_synchronize().
 */
#ifndef ROUTER_ROUTER_H
#define ROUTER_ROUTER_H

#include "graph/graph.h"
#include "router/adjacency.h"
#include "router/event.h"
#include "router/fib.h"
#include "router/handoff.h"
#include "router/l2.h"
#include "router/load_balance.h"
#include "router/recirculate.h"
#include "router/rest.h"
#include "router/sources.h"
#include "router/stats_block.h"
#include "wirespeed.h"

#include <rte_branch_prediction.h>

/* Never the destination of a frame: what `l3_mac` of an interface that takes no L3 holds. */
#define INTERFACE_NO_MAC UINT64_MAX

struct address_list {
	uint16_t count;
	struct ws_prefix at[WS_MAX_ADDRESSES]; /* host bits and all */
};

/*
 * What workers need of an interface. Numbers below WS_MAX_PORTS are ports, the others
 * sub-interfaces and loopbacks; one that does not exist is down and has no addresses.
 */
struct interface {
	uint64_t l3_mac; /* its MAC as a number while it is up and in L3 mode, else INTERFACE_NO_MAC */
	struct vlan_table *vlans;       /* of a port with sub-interfaces, else NULL */
	struct address_list *addresses; /* its own or those it uses; never NULL */
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t output; /* which of "*-output": its port's, or OUTPUT_LOOPBACK */
	bool admin_up;
	bool usable;    /* admin_up, and there is a link */
	uint8_t mode;   /* enum ws_interface_mode */
	bool takes_all; /* up, in an L2 mode, and without sub-interfaces */
	bool is_exact;  /* a sub-interface that takes its tags and no more */
	bool is_unnumbered;
	uint8_t tag_len; /* 0, 4 or 8: of the tags of a sub-interface, as they are in its frames */
	uint8_t tags[8];
	bool is_lcp_host;  /* the TAP of a pair: what it brings goes out of `lcp` */
	uint16_t lcp;      /* of a pair, the other one (of a VLAN its port's TAP), or LCP_NONE */
	bool mpls;         /* takes labelled packets */
	uint16_t table[2]; /* by family_index: where its packets are looked up */
} __attribute__((aligned(64)));

/* An interface that Linux has no part in. */
enum { LCP_NONE = UINT16_MAX };

/* The place behind those of the ports in "*-output". */
enum { OUTPUT_LOOPBACK = WS_MAX_PORTS, OUTPUTS };

/* Main thread only. */
struct interface_settings {
	char name[WS_NAME_LEN]; /* empty: there is no such interface */
	uint8_t kind;           /* enum ws_interface_kind */
	bool link_up;
	bool promiscuous; /* the user wants it */
	uint16_t parent;
	struct ws_subinterface sub;
	struct ws_tag_rewrite tag_rewrite;
	uint16_t mtus[WS_MTU_KINDS];
	struct address_list *addresses; /* its own; never NULL */
	int32_t unnumbered_of;          /* whose addresses it uses instead, or -1 */
	uint32_t instance;              /* of a loopback */
};

/*
 * IPv4 addresses that no packet from outside may bear as its source: ours, and the network and
 * broadcast addresses of our subnets. A bitmap by hash says no for nearly all others.
 */
struct own_addresses {
	uint64_t bits[64];
	uint32_t count;
	struct {
		uint32_t address;
		uint16_t table;
	} at[WS_MAX_INTERFACES * WS_MAX_ADDRESSES * 3];
};

static inline uint32_t own_address_bit(uint32_t address)
{
	return (address * 0x9e3779b1u) >> 20;
}

/* One token a packet, refilled by the TSC. */
struct token_bucket {
	uint64_t ticks_per_token, capacity_ticks;
	uint64_t full_at; /* TSC at which it would be full */
};

struct rx_queue {
	uint16_t port, queue;
	bool hands_off; /* to the workers that its interface names */
};

enum { ARP_THROTTLE_SLOTS = 256 };

struct trace;
struct trace_filter;
struct pcap;
struct ip6_interface;
struct own_ip6;

/* Written by one worker, apart from the queues and the trace, which change only while it is stopped
 * or does not look. */
struct router_worker {
	struct graph *graph;
	struct trace *trace;
	struct worker_counts *totals; /* these two in the statistics block */
	struct interface_counts *interfaces;
	struct token_bucket icmp;
	struct rest rest;
	uint16_t queue_count;
	struct rx_queue queues[WS_MAX_PORTS * WS_MAX_QUEUES];
	uint64_t glean_asked_tsc[ARP_THROTTLE_SLOTS]; /* by hash of the address asked for */
	struct recirculate_queue recirculate;
} __attribute__((aligned(64)));

enum { FAMILIES = 2, MAX_TABLES = 256 };

/* What the user wants of IPv6 on an interface. */
struct ip6_settings {
	bool enabled;                 /* by command; an address does it as well */
	struct ws_address link_local; /* given by the user; family 0: made of the MAC address */
	struct ws_ip6_advertising advertising;
	uint64_t advertised_tsc, next_advertisement_tsc;
	uint64_t reported_tsc, next_report_tsc; /* of listeners; 0: never, none is due */
};

enum { ECHO_REPLIES = 64 };

struct echo_replies {
	uint32_t count;
	struct ws_echo_reply at[ECHO_REPLIES];
};

struct ws_router {
	struct interface interfaces[WS_MAX_INTERFACES];
	struct l2_table l2;
	struct own_addresses *own;
	struct own_ip6 *own_ip6;
	struct ip6_interface *ip6[WS_MAX_INTERFACES]; /* NULL where IPv6 is not enabled */
	/* By family (family_index) and index, the default one first. */
	struct fib_table *tables[FAMILIES][MAX_TABLES];
	bool many_tables[FAMILIES]; /* besides the default one */
	uint32_t *mpls_routes;      /* load balances by mpls_route_index; NULL without a table */
	struct load_balance_table load_balances;
	struct adjacency_table adjacencies;
	struct event_ring events __attribute__((aligned(64))); /* workers write */
	/* Packets that the main thread made, for worker 0. */
	struct rte_ring *main_input __attribute__((aligned(64)));
	uint32_t echo_id; /* identifier of our pings */
	uint64_t tsc_hz;
	uint16_t interface_count; /* one past the highest number; there may be holes */
	uint16_t worker_count;
	bool running;
	volatile bool paused;
	uint16_t parked; /* workers that wait for the end of the pause */
	struct ws_router_config config;
	struct router_worker *workers[WS_MAX_WORKERS];

	struct handoff handoffs[WS_MAX_PORTS];
	struct rte_ring *handoff_rings[WS_MAX_WORKERS]; /* NULL until an interface hands off */
	struct pcap *pcap;           /* NULL when there is no capture; changed while nobody observes */
	struct trace_filter *filter; /* of the trace, likewise */

	/* Main thread only. */
	struct ip6_settings ip6_settings[WS_MAX_INTERFACES];
	uint32_t reachable_s[FAMILIES]; /* how long a neighbour is taken to be there; 0: for ever */
	struct echo_replies echo_replies;
	uint16_t echo_sequence;
	struct stats_block stats;
	struct interface_settings settings[WS_MAX_INTERFACES];
	struct sources sources;
	uint32_t mpls_count, mpls_reserved; /* routes of labels, and how many are the router's own */
	uint16_t pause_depth;
	uint8_t placement[WS_MAX_PORTS][WS_MAX_QUEUES];
	uint8_t rx_modes[WS_MAX_PORTS][WS_MAX_QUEUES]; /* enum ws_rx_mode */
	struct prefix_cursor cursor; /* where the last page of ws_router_routes ended */
	const struct fib_table *cursor_table;
	uint64_t cursor_position, cursor_generation;
};

/* Where the route of a label is, that at the bottom of the stack apart. */
static inline uint32_t mpls_route_index(uint32_t label, bool bottom)
{
	return label << 1 | bottom;
}

static inline int family_index(uint8_t family)
{
	return family == WS_IP6;
}

static inline struct ws_router *router_of(const struct graph *graph)
{
	return graph->app;
}

static inline struct router_worker *router_worker_of(const struct graph *graph)
{
	return router_of(graph)->workers[graph->worker];
}

/* -ENODEV with its line when there is no such interface. */
int router_check_interface(const struct ws_router *router, uint16_t index);
static inline const char *interface_name(const struct ws_router *router, uint16_t index)
{
	return router->settings[index].name;
}
/* Whether Linux answers for the interface; nodes then answer nothing themselves. */
static inline bool interface_is_paired(const struct interface *interface)
{
	return __atomic_load_n(&interface->lcp, __ATOMIC_RELAXED) != LCP_NONE;
}
/* Take the interface, which is to be deleted, out of its pair. */
void router_lcp_forget(struct ws_router *router, uint16_t index);
/* Its admin state, mode, MAC address or the presence of sub-interfaces changed. */
void router_publish_mac(struct interface *interface);
/* Give the open port its interface. */
int router_make_port_interface(struct ws_router *router, uint16_t port);
void router_free_interfaces(struct ws_router *router);
/* The state or link of an interface changed: work out which are usable, itself and those on it. */
void router_update_usable(struct ws_router *router, uint16_t index);
/* The longest packet of a protocol that routing sends by the interface. */
uint16_t router_mtu(const struct ws_router *router, uint16_t index, enum ws_mtu_kind kind);
/* Follow the links of the ports. */
void router_follow_links(struct ws_router *router);

/* Have what is sent by the interface follow its MAC address and MTU. */
void router_update_adjacencies(struct ws_router *router, uint16_t index);
/* Make the graphs of all workers; and let them go. */
int router_make_workers(struct ws_router *router);
void router_free_workers(struct ws_router *router);
/*
 * Between these no worker is inside its graph. They nest. While the router is stopped there is
 * nothing to wait for.
 */
void router_pause(struct ws_router *router);
void router_resume(struct ws_router *router);
/*
 * New graphs in place of the old ones, since the set of ports changed; what the old ones counted
 * goes on. On failure the old ones stay.
 */
int router_remake_graphs(struct ws_router *router);
/* Drop what waits in the workers' queues, since it may be for an interface that goes. */
void router_flush_copies(struct ws_router *router);
/* The enum ws_rx_mode that a port's queues begin with. */
uint8_t router_default_rx_mode(uint16_t port);
/* Hand out the RX queues as they are placed. */
void router_place_queues(struct ws_router *router);

/* The table that the user calls `id`; NULL with an error line when there is none. */
struct fib_table *router_table(const struct ws_router *router, uint8_t family, uint32_t id);
int router_make_table(struct ws_router *router, uint8_t family, uint16_t index, uint32_t id,
					  const char *name, uint32_t max_routes);
void router_free_tables(struct ws_router *router);
void router_mpls_free(struct ws_router *router);

/* The interface's table of that family. */
static inline struct fib_table *router_interface_table(const struct ws_router *router,
													   uint16_t interface, uint8_t family)
{
	int index = family_index(family);
	return router->tables[index][router->interfaces[interface].table[index]];
}

/* Check a path of a route for packets of that kind, and find what it needs; or several. */
int router_check_path(const struct ws_router *router, const struct ws_path *path, uint16_t payload,
					  struct path_key *key);
int router_check_paths(const struct ws_router *router, const struct ws_path *paths, uint32_t count,
					   enum ws_route_source source, uint16_t payload,
					   union path_list_buffer *buffer);
/* Whether routes that somebody made name the interface. */
bool router_paths_use(const struct ws_router *router, uint16_t interface);
/* The paths that the load balance was made of; returns how many. */
uint16_t router_describe_paths(const struct ws_router *router, uint32_t load_balance,
							   struct ws_path *out);
/* Have the source's route go this one way; the path has its interface. */
int router_set_route(struct ws_router *router, struct fib_table *table,
					 const struct ws_prefix *prefix, const struct ws_path *path,
					 enum ws_route_source source);
/* load_balance_resolve_fn; and what resolves through the prefix does so again. */
uint32_t router_resolve(void *router, const struct path_list *list, struct path_key *leaves);
void router_follow(struct ws_router *router, const struct fib_table *table,
				   const struct ws_prefix *prefix);

/* The interface in that table with a connected prefix over the address, or -1. */
int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address);
bool router_is_own_address(const struct ws_router *router, const struct fib_table *table,
						   const struct ws_address *address);

/*
 * A neighbour on a connected prefix has a /32 route of its own, unless something else stands there.
 * Make that true again for one address, or for all of an interface.
 */
void router_neighbor_restore_route(struct ws_router *router, const struct fib_table *table,
								   const struct ws_address *address);
void router_neighbor_restore_routes(struct ws_router *router, uint16_t interface);
/* Apply what a worker saw; forget those unheard of for long. */
void router_neighbor_learn(struct ws_router *router, const struct router_event *event);
void router_neighbor_age(struct ws_router *router);
/* Ask the station `mac`, or all when NULL, for the address; false when that cannot be sent. */
bool router_neighbor_ask(struct ws_router *router, uint16_t interface,
						 const struct ws_address *address, const uint8_t *mac);
/* Forget those of a family (0: of both), on an interface that has it no more. */
void router_neighbor_forget_all(struct ws_router *router, uint16_t interface, uint8_t family);

/* Make and send router advertisements: to a host that asked, and those that are due. */
void router_solicited(struct ws_router *router, const struct router_event *event);
void router_advertise(struct ws_router *router);
/* Somebody asked what groups the interface listens to; tell those who are due. */
void router_mld_queried(struct ws_router *router, const struct router_event *event);
void router_mld_report(struct ws_router *router);
void router_echo_replied(struct ws_router *router, const struct router_event *event);

/* True when a token was there. */
static inline bool token_bucket_take(struct token_bucket *bucket, uint64_t now)
{
	if (bucket->full_at < now)
		bucket->full_at = now;
	if (bucket->full_at + bucket->ticks_per_token > now + bucket->capacity_ticks)
		return false;
	bucket->full_at += bucket->ticks_per_token;
	return true;
}

#endif
