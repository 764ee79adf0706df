/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the data plane (C on DPDK) and its control plane.
 *
 * Plain structs and functions only: no macros, no inlines, no DPDK types, no callbacks. Lines that
 * begin with '#' are dropped by the Python binding, which reads the rest as it stands.
 *
 * One thread, the main thread, calls all of this. Workers never call out. Unless said otherwise a
 * function returns 0 (or a count) on success and a negative errno on failure, and ws_error() then
 * holds one line for the user. IP addresses and MAC addresses are bytes as on the wire. Times are
 * in seconds or TSC ticks as named. Strings are UTF-8, NUL-terminated, truncated if longer than
 * their field.
 */
#ifndef WIRESPEED_H
#define WIRESPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WS_NAME_LEN = 64,
	WS_DEVARGS_LEN = 256,
	WS_MAX_PORTS = 32,
	WS_MAX_INTERFACES = 1024, /* ports, sub-interfaces and loopbacks together */
	WS_MAX_WORKERS = 16,
	WS_MAX_QUEUES = 16,
	WS_MAX_PATHS = 16,    /* of one route */
	WS_MAX_LABELS = 8,    /* that one path pushes */
	WS_TRACE_BYTES = 128, /* of a packet kept per trace step */
	WS_PACKET_LEN = 9216, /* longest frame, FCS included */
};

const char *ws_error(void);

enum { WS_IP4 = 4, WS_IP6 = 6 };

/* An IPv4 address has the first four bytes, the others 0. Family 0: none. */
struct ws_address {
	uint8_t family; /* WS_IP4 or WS_IP6 */
	uint8_t bytes[16];
};

struct ws_prefix {
	struct ws_address address;
	uint8_t length; /* bits */
};

/* ---- Runtime: EAL, CPUs, memory
 * ------------------------------------------------------------------------ */

struct ws_runtime_config {
	char program[WS_NAME_LEN]; /* names the process to DPDK; must be unique among running ones */
	bool hugepages;            /* false: ordinary pages */
	uint32_t memory_mb;        /* what the pools and tables may take */
	uint16_t worker_count;
	uint16_t worker_cpus[WS_MAX_WORKERS];
	int32_t march; /* 0 best the CPU has, else 2, 3 or 4: x86-64 level of the hot code */
	bool verbose;  /* let DPDK log to stderr */
};

struct ws_worker_info {
	char name[WS_NAME_LEN]; /* ws_wk_0 … */
	uint16_t cpu;
	int32_t thread_id; /* Linux tid, 0 when it does not run */
	uint64_t loops;
};

/* Once a process; the calling thread keeps its CPU affinity. No fork afterwards. */
int ws_runtime_init(const struct ws_runtime_config *config);
void ws_runtime_close(void);
uint64_t ws_tsc(void);
uint64_t ws_tsc_hz(void);
int ws_march(void); /* the level chosen at init: 1 (baseline), 2, 3 or 4 */
int ws_worker_info(uint16_t worker, struct ws_worker_info *out);

struct ws_pool_info {
	char name[WS_NAME_LEN];
	uint32_t buffer_size, total, available;
};
int ws_pool_info(
	struct ws_pool_info *out); /* of the one packet pool; -ENOENT before ports are opened */

/* ---- Ports
 * -----------------------------------------------------------------------------------------------
 */

struct ws_port_config {
	char name[WS_NAME_LEN]; /* as the user calls it: e0; "%s" in it becomes TenGigabitEthernet … */
	char
		devargs[WS_DEVARGS_LEN]; /* DPDK device string: net_memif0,role=client,… or a PCI address */
	uint16_t rx_queues, tx_queues; /* clipped to what the driver has; never below 1 */
	uint16_t rx_descriptors, tx_descriptors;
	uint16_t mtu; /* L3 bytes */
	bool has_mac;
	uint8_t mac[6];
	uint64_t speed_bps; /* nominal line; 0: ask the driver */
	bool promiscuous;
};

struct ws_port_info {
	char name[WS_NAME_LEN], driver[WS_NAME_LEN], bus_address[WS_NAME_LEN];
	uint8_t mac[6];
	bool link_up, started, is_virtual, promiscuous;
	uint64_t speed_bps; /* nominal when given, else the link's; 0 unknown */
	int32_t numa;
	uint16_t mtu, max_mtu;
	uint16_t rx_queues, tx_queues, max_rx_queues, max_tx_queues;
	uint16_t rx_descriptors, tx_descriptors;
	uint16_t min_rx_descriptors, max_rx_descriptors, min_tx_descriptors, max_tx_descriptors;
};

/* The driver's own counters since start. Bytes are without FCS. */
struct ws_port_counters {
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes;
	uint64_t rx_missed, rx_errors, tx_errors, rx_no_buffer;
};

/* At least so many buffers, for frames of so many bytes, whatever the rings need; before ports are
 * opened. */
void ws_pool_configure(uint32_t buffers, uint32_t frame_size);

/*
 * Open all ports of the process at once, before the router or generator is made; port i is
 * configs[i]. The packet pool is sized for their rings. Nothing stays open when one fails.
 */
int ws_ports_open(const struct ws_port_config *configs, uint16_t count);
void ws_ports_close(void);
/* A further port, in the pool that is there; returns its number, the lowest one free. */
int ws_port_add(const struct ws_port_config *config);
/* Nobody may use it any more. */
int ws_port_delete(uint16_t port);
int ws_port_info(uint16_t port, struct ws_port_info *out);
int ws_port_counters(uint16_t port, struct ws_port_counters *out);
int ws_port_set_promiscuous(uint16_t port, bool on);
/* Readable when the link of a port may have changed, as far as somebody tells of that. */
int ws_links_fd(void);
int ws_port_set_link(uint16_t port, bool up);
int ws_port_set_mac(uint16_t port, const uint8_t *mac);
/* -ENOTSUP, as of the two calls after it, where the driver has no such thing. */
int ws_port_set_led(uint16_t port, bool on);
/* Modes: 0 off, 1 receive, 2 send, 3 both. */
int ws_port_flow_control(uint16_t port, int32_t *mode);
int ws_port_set_flow_control(uint16_t port, int32_t mode);
/* The driver's extended counters, those of each queue among them; returns how many there are. */
struct ws_xstat {
	char name[64];
	uint64_t value;
};
int ws_port_xstats(uint16_t port, struct ws_xstat *out, uint32_t max);
int ws_port_set_mtu(uint16_t port, uint16_t mtu);

/* ---- Router
 * ------------------------------------------------------------------------------------------------
 */

struct ws_router;

struct ws_router_config {
	uint32_t max_ip4_routes; /* 0: 262 144 */
	uint32_t max_ip6_routes; /* 0: 65 536 */
	uint32_t max_neighbors;  /* 0: 4 096 */
	uint32_t icmp_rate_pps;  /* ICMP errors a second and worker; 0: 1 000 */
	/* Of the statistics block (docs/statistics.md): its file, which must not be there yet, or
	 * empty; how often the main thread writes its words, 0: 1 000; and whether calls, vectors and
	 * clocks of the nodes are in its directory. */
	char stats_path[WS_DEVARGS_LEN];
	uint32_t stats_interval_ms;
	bool stats_without_nodes;
};

/* The ports become interfaces of their numbers and names. RX queues are spread over the workers
 * round robin. */
struct ws_router *ws_router_create(const struct ws_router_config *config);
int ws_router_start(struct ws_router *router);
void ws_router_stop(struct ws_router *router);
void ws_router_destroy(struct ws_router *router);

/* A bridge domain's own interface (BVI) routes: it is in WS_MODE_L3. */
enum ws_interface_mode { WS_MODE_L3 = 0, WS_MODE_XCONNECT = 1, WS_MODE_BRIDGE = 2 };

enum { WS_MAX_ADDRESSES = 16 }; /* of one interface, both families together */

enum ws_interface_kind { WS_INTERFACE_PORT = 0, WS_INTERFACE_SUB = 1, WS_INTERFACE_LOOPBACK = 2 };

/* Instead of a VLAN id: any of them. */
#define WS_VLAN_ANY 4095

/*
 * Which frames of its parent a sub-interface takes. The one that says most of a frame's tags takes
 * it; outer 0, with exact: frames without tags; without: tagged ones that no other takes.
 */
struct ws_subinterface {
	uint32_t id;
	uint16_t outer, inner; /* VLAN ids 1 to 4094, or WS_VLAN_ANY; inner 0: one tag */
	bool dot1ad;           /* the outer tag is an 802.1ad one */
	bool exact;            /* no further tags; only then it may route */
};

/* Tags to take off frames that come in, and to put on: what goes out is rewritten the other way
 * round. */
struct ws_tag_rewrite {
	uint8_t pop, push; /* how many tags; none and none: frames stay as they are */
	bool dot1ad;       /* the outer one put on is an 802.1ad tag */
	uint16_t tags[2];  /* VLAN ids to put on, the outer one first */
};

/* L2: the longest packet that a port carries. L3: that routing sends; the others, for one protocol
 * each, are 0 where that is the same. */
enum ws_mtu_kind { WS_MTU_L2, WS_MTU_L3, WS_MTU_IP4, WS_MTU_IP6, WS_MTU_MPLS, WS_MTU_KINDS };

struct ws_interface {
	char name[WS_NAME_LEN];
	int32_t kind;    /* enum ws_interface_kind */
	uint16_t parent; /* the port of a sub-interface; itself otherwise */
	struct ws_subinterface sub;
	bool admin_up, link_up;
	uint16_t mtu;
	uint8_t mac[6];
	int32_t mode;           /* enum ws_interface_mode */
	uint16_t xconnect_to;   /* interface index, in WS_MODE_XCONNECT */
	uint32_t bridge_domain; /* id, 0 none; in WS_MODE_BRIDGE, and of a BVI */
	uint8_t split_horizon_group;
	struct ws_tag_rewrite tag_rewrite;
	uint16_t mtus[5];      /* by enum ws_mtu_kind */
	int32_t unnumbered_of; /* the interface whose addresses are used, or -1 */
	uint32_t ip4_table, ip6_table;
	bool mpls;
	uint16_t address_count;
	struct ws_prefix addresses[WS_MAX_ADDRESSES];
};

/* Summed over workers. Bytes are frame bytes without FCS. */
struct ws_interface_counters {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t drops, punts, ip4, ip6, mpls, rx_missed, rx_errors, rx_no_buffer, tx_errors;
};

/*
 * Interfaces that are ports have the port's number, below WS_MAX_PORTS; the others begin there.
 * Numbers of deleted interfaces are free for new ones. Those that make one return its number.
 */
int ws_router_port_add(struct ws_router *router, const struct ws_port_config *config);
/* `loop0` and so on; a mac of NULL is made from the instance. */
int ws_router_loopback_add(struct ws_router *router, uint32_t instance, const uint8_t *mac);
int ws_router_subinterface_add(struct ws_router *router, uint16_t parent,
							   const struct ws_subinterface *sub);
/* -EEXIST when something else than its own addresses and neighbours needs it. */
int ws_router_interface_delete(struct ws_router *router, uint16_t index);

struct ws_interface_name {
	char name[WS_NAME_LEN];
	uint16_t index;
};

/* Ports by number, each with its sub-interfaces by id behind it, then loopbacks; returns how many
 * there are. */
int ws_router_interfaces(struct ws_router *router, struct ws_interface_name *out, uint32_t max);
int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out);
int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out);
int ws_router_set_state(struct ws_router *router, uint16_t index, bool up);
/* Of a port: what it carries, and what routing sends; of others, the latter. */
int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu);
/* `kind` is not WS_MTU_L2; at most what the port carries. */
int ws_router_set_protocol_mtu(struct ws_router *router, uint16_t index, int32_t kind,
							   uint16_t mtu);
/* Use the addresses of interface `of`, which may change, instead of own ones; -1: no longer. */
int ws_router_set_unnumbered(struct ws_router *router, uint16_t index, int32_t of);
int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac);
/* -EEXIST, or -EINVAL when it overlaps an address of another interface */
int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_prefix prefix);
int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_prefix prefix);
/* A port with an interface in a layer 2 mode takes all frames in any case. */
int ws_router_set_promiscuous(struct ws_router *router, uint16_t index, bool on);
int ws_router_set_xconnect(struct ws_router *router, uint16_t index,
						   uint16_t to); /* one direction */
/* Into the bridge domain, which is made if need be; a loopback as its BVI, others as ports. */
int ws_router_set_bridge(struct ws_router *router, uint16_t index, uint32_t domain, bool bvi,
						 uint8_t split_horizon_group);
int ws_router_set_l3(struct ws_router *router, uint16_t index);
int ws_router_set_tag_rewrite(struct ws_router *router, uint16_t index,
							  const struct ws_tag_rewrite *rewrite);

struct ws_bridge_domain {
	uint32_t id;                          /* 1 to 2^24 - 1 */
	bool learn, forward, flood, uu_flood; /* uu: to stations that are not known */
	uint8_t age_min;                      /* minutes until a learnt address is forgotten; 0 never */
	int32_t bvi;                          /* interface or -1; not to be set here */
};

/* Make it, or change it. */
int ws_router_bridge_domain_set(struct ws_router *router, const struct ws_bridge_domain *domain);
int ws_router_bridge_domain_del(struct ws_router *router, uint32_t id);
/* Returns how many there are. */
int ws_router_bridge_domains(struct ws_router *router, struct ws_bridge_domain *out, uint32_t max);

struct ws_l2fib_entry {
	uint32_t domain;
	uint8_t mac[6];
	int32_t interface; /* -1: frames to it are dropped */
	bool is_static;
	uint32_t age_s; /* since its last frame, of one that was learnt */
};

int ws_router_l2fib_add(struct ws_router *router, const struct ws_l2fib_entry *entry); /* static */
int ws_router_l2fib_del(struct ws_router *router, const uint8_t *mac, uint32_t domain);
void ws_router_l2fib_flush(struct ws_router *router); /* what was learnt */
/* The next entries from *cursor on, which begins at 0; returns how many, 0 at the end. */
int ws_router_l2fib(struct ws_router *router, uint32_t *cursor, struct ws_l2fib_entry *out,
					uint32_t max);

/* RX queue `queue` of interface `index` is polled by `worker`. */
int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker);
int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue); /* worker */

/* A worker sleeps when it has no packets, if none of its queues is in polling mode. */
enum ws_rx_mode {
	WS_RX_POLLING = 0,
	WS_RX_INTERRUPT = 1, /* as soon as a poll brings nothing */
	WS_RX_ADAPTIVE = 2,  /* after some time without packets */
};
int ws_router_set_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue, int32_t mode);
/* Spread the packets of a port over workers by flow; no workers: leave them where they are polled.
 */
int ws_router_set_handoff(struct ws_router *router, uint16_t index, const uint16_t *workers,
						  uint16_t count, bool is_symmetrical);
/* Returns how many workers there are. */
int ws_router_handoff(struct ws_router *router, uint16_t index, uint16_t *workers, uint16_t max);
int ws_router_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue);

enum ws_path_kind {
	WS_PATH_NEXT_HOP = 0,    /* via next_hop [interface] */
	WS_PATH_ATTACHED = 1,    /* connected on interface: each destination is its own next hop */
	WS_PATH_LOCAL = 2,       /* ours */
	WS_PATH_DROP = 3,        /* silently */
	WS_PATH_UNREACHABLE = 4, /* answered: host unreachable */
	WS_PATH_PROHIBIT = 5,    /* answered: administratively prohibited */
	WS_PATH_LOOKUP = 6,      /* look again, in `table` */
};

/*
 * A next hop without interface is on a connected network, or else reached by the route to it in
 * `table`, which is followed when it changes. Labels are pushed, the outermost first; one that is
 * implicit null (3) is none. Each bears its own TTL and class (EXP; RFC 3443, pipe), or those of
 * the packet where its TTL here is 0 (uniform).
 */
struct ws_path {
	int32_t kind; /* enum ws_path_kind */
	struct ws_address next_hop;
	int32_t interface; /* -1: none given */
	uint16_t weight;   /* 0 means 1 */
	uint32_t table;    /* its id, as given to ws_router_table_add */
	uint8_t label_count;
	uint32_t labels[WS_MAX_LABELS];
	uint8_t label_ttls[WS_MAX_LABELS], label_classes[WS_MAX_LABELS];
};

/*
 * Who made a route. Of several for one prefix that of an address is used before the user's, that
 * before Linux's and that before a neighbour's; the others wait behind it.
 */
enum ws_route_source {
	WS_SOURCE_STATIC = 0,    /* the user */
	WS_SOURCE_LINUX = 1,     /* the kernel's tables */
	WS_SOURCE_CONNECTED = 2, /* an address of ours */
	WS_SOURCE_NEIGHBOR = 3,  /* a neighbour's own host route */
};

struct ws_route {
	uint32_t table; /* 0: the default one of the prefix's family */
	int32_t source; /* enum ws_route_source */
	struct ws_prefix prefix;
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
};

/*
 * Add or replace (`replace`) a route of the user's or Linux's; -EEXIST when the source has one and
 * it may not be replaced, or when an address of ours stands there and the source is the user.
 */
int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace);
/* The same paths for `count` prefixes, each one prefix size above the one before; returns how many
 * were added. */
int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace);
/* -ENOENT when the source has no such route. `count` as above. */
int64_t ws_router_route_del_many(struct ws_router *router, uint32_t table, struct ws_prefix first,
								 int32_t source, uint32_t count);

/* Add or replace `route`, or delete what its source has at its prefix (the paths then do not
 * matter). */
struct ws_route_change {
	bool is_removal;
	struct ws_route route;
};
/*
 * Many changes of different routes, one after the other; results[i] is 0 or a negative errno.
 * Returns how many failed; ws_error() explains the last one.
 */
int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results);

int64_t ws_router_route_count(struct ws_router *router, uint32_t table, uint8_t family);
/* Routes in order of (address, length), from position `start`; returns how many were written. */
int ws_router_routes(struct ws_router *router, uint32_t table, uint8_t family, uint64_t start,
					 struct ws_route *out, uint32_t max);
/* As above in short: routes with the same `paths` have the paths of ws_router_paths alike. */
struct ws_route_entry {
	struct ws_prefix prefix;
	int32_t source; /* enum ws_route_source */
	uint32_t paths;
};

int ws_router_route_entries(struct ws_router *router, uint32_t table, uint8_t family,
							uint64_t start, struct ws_route_entry *out, uint32_t max);
/* Up to WS_MAX_PATHS into `out`; returns how many. */
int ws_router_paths(struct ws_router *router, uint32_t paths, struct ws_path *out);
/*
 * The lines at the start of `text` that are `ip route add PREFIX via ADDRESS [INTERFACE]`, or del,
 * for the default tables, up to the first one that is another or that cannot be done. Returns how
 * many bytes that was, and in `lines` how many lines.
 */
int64_t ws_router_routes_text(struct ws_router *router, const char *text, uint64_t length,
							  uint64_t *lines);
/* The route of exactly this prefix; -ENOENT when there is none. */
int ws_router_route_get(struct ws_router *router, uint32_t table, struct ws_prefix prefix,
						struct ws_route *out);
/* The longest match of `address`; -ENOENT when there is none. */
int ws_router_route_lookup(struct ws_router *router, uint32_t table, struct ws_address address,
						   struct ws_route *out);

/*
 * Tables of routes. The default ones have the id 0 and are there from the start; packets of an
 * interface are looked up in the table that it is put into.
 */
struct ws_table {
	uint8_t family;
	uint32_t id;
	uint32_t route_count;
	char name[WS_NAME_LEN];
};

/* 0 as well when it is there; `name` may be empty. */
int ws_router_table_add(struct ws_router *router, uint8_t family, uint32_t id, const char *name);
/* -EBUSY while an interface, routes in it or paths of others need it. */
int ws_router_table_del(struct ws_router *router, uint8_t family, uint32_t id);
int ws_router_tables(struct ws_router *router, uint8_t family, struct ws_table *out, uint32_t max);
/* -EBUSY while the interface has addresses of the family. */
int ws_router_set_table(struct ws_router *router, uint16_t index, uint8_t family, uint32_t id);

/*
 * MPLS. One table, which takes 8 MB; a label has one route where it ends the stack (`bottom`), then
 * `payload` is what lies behind it, and another where it does not. A path without labels of its own
 * takes the label off. Labels below 16 are reserved and have their routes from the start.
 */
struct ws_mpls_route {
	uint32_t label;
	bool bottom;
	uint8_t payload; /* WS_IP4 or WS_IP6 at the bottom, else 0 */
	int32_t source;  /* enum ws_route_source; WS_SOURCE_CONNECTED is the router's own */
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
};

int ws_router_mpls_table_add(struct ws_router *router);
/* -EBUSY while it has routes or an interface takes labelled packets. */
int ws_router_mpls_table_del(struct ws_router *router);
int ws_router_has_mpls_table(struct ws_router *router); /* 1 or 0 */
/* Whether labelled packets may come in by the interface. */
int ws_router_set_mpls(struct ws_router *router, uint16_t index, bool on);
int ws_router_mpls_route_set(struct ws_router *router, const struct ws_mpls_route *route);
int ws_router_mpls_route_del(struct ws_router *router, uint32_t label, bool bottom);
/* -ENOENT when there is none. */
int ws_router_mpls_route_get(struct ws_router *router, uint32_t label, bool bottom,
							 struct ws_mpls_route *out);
/* In order of (label, bottom), those from `label` on; returns how many were written. */
int ws_router_mpls_routes(struct ws_router *router, uint32_t label, struct ws_mpls_route *out,
						  uint32_t max);

enum ws_neighbor_state {
	WS_NEIGHBOR_INCOMPLETE = 0,
	WS_NEIGHBOR_REACHABLE = 1,
	WS_NEIGHBOR_STATIC = 2,
	WS_NEIGHBOR_STALE = 3, /* not heard of for the reachable time, or not answered to us yet */
	WS_NEIGHBOR_PROBE = 4, /* asked whether it is still there */
};

struct ws_neighbor {
	uint16_t interface;
	struct ws_address address;
	uint8_t mac[6];
	int32_t state; /* enum ws_neighbor_state */
	double age_s;
};

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, struct ws_address address,
						   const uint8_t *mac);
int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, struct ws_address address);
/* As heard on the wire: it ages, and does not touch a static one. */
int ws_router_neighbor_learn(struct ws_router *router, uint16_t interface,
							 struct ws_address address, const uint8_t *mac);
int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max);

/* How long a neighbour of the family is taken to be there before it is asked; 0: for ever. One that
 * gives no answer to three questions is forgotten. */
int ws_router_set_reachable_time(struct ws_router *router, uint8_t family, uint32_t seconds);

/* ---- IPv6 on interfaces */

enum { WS_MAX_ADVERTISED = 8 };

struct ws_ip6_advertised {
	struct ws_prefix prefix;
	uint32_t valid_s, preferred_s;
	bool on_link, autonomous;
};

/* Router advertisements: the interface's prefixes, and those given here in their place. */
struct ws_ip6_advertising {
	bool is_on, managed, other;
	uint16_t lifetime_s;
	uint16_t min_interval_s, max_interval_s;
	uint16_t prefix_count;
	struct ws_ip6_advertised prefixes[WS_MAX_ADVERTISED];
};

struct ws_ip6_interface {
	bool enabled; /* by command, or since it has an address */
	struct ws_address link_local;
	struct ws_ip6_advertising advertising;
};

int ws_router_ip6(struct ws_router *router, uint16_t index, struct ws_ip6_interface *out);
int ws_router_set_ip6(struct ws_router *router, uint16_t index, bool enabled);
/* Instead of the one made of the MAC address, for which family 0 stands. */
int ws_router_set_link_local(struct ws_router *router, uint16_t index, struct ws_address address);
int ws_router_set_advertising(struct ws_router *router, uint16_t index,
							  const struct ws_ip6_advertising *advertising);

/* ---- Pings of our own */

struct ws_echo {
	struct ws_address destination;
	int32_t interface; /* whose address it comes from; -1: that of the way out */
	uint16_t payload_len;
};

/* A TSC of ws_tsc(). */
struct ws_echo_reply {
	struct ws_address source;
	uint16_t sequence, length; /* length: of the ICMP message */
	uint8_t ttl;
	uint64_t tsc;
};

/* Send an echo request; returns its sequence number. */
int ws_router_echo(struct ws_router *router, const struct ws_echo *echo);
/* Take out answers that came, oldest first; those that nobody takes make room for new ones. */
int ws_router_echo_replies(struct ws_router *router, struct ws_echo_reply *out, uint32_t max);

/*
 * Workers hand what they learn (ARP, neighbour discovery, answers to pings) to the main thread: the
 * descriptor becomes readable, and ws_router_poll applies it. Returns the number of events. Call it
 * once a second as well: it asks for silent neighbours and sends router advertisements.
 */
int ws_router_event_fd(struct ws_router *router);
int ws_router_poll(struct ws_router *router);
/* When ws_links_fd is readable. */
void ws_router_follow_links(struct ws_router *router);

enum ws_node_state {
	WS_NODE_ACTIVE = 0,
	WS_NODE_POLLING = 1,
	WS_NODE_INTERRUPT = 2, /* of a worker that sleeps until packets come */
};

/* One node on one worker, since the router was made. */
struct ws_node_stats {
	char name[WS_NAME_LEN];
	int32_t state; /* enum ws_node_state */
	uint64_t calls, vectors, suspends, clocks;
	uint64_t max_clocks, max_clocks_vectors; /* of the one most expensive call */
};

/* One named counter of one node on one worker. */
struct ws_node_counter {
	char node[WS_NAME_LEN], reason[WS_NAME_LEN];
	bool is_error; /* false: information, such as packets answered */
	uint64_t count;
};

/* Read without stopping the worker; returns how many there are (write at most max). */
int ws_router_node_stats(struct ws_router *router, uint16_t worker, struct ws_node_stats *out,
						 uint32_t max);
int ws_router_node_counters(struct ws_router *router, uint16_t worker, struct ws_node_counter *out,
							uint32_t max);

/* Forget the most expensive calls. */
void ws_router_clear_maxima(struct ws_router *router);

/* Received and made ones are sent, dropped or punted in the end. */
struct ws_router_totals {
	uint64_t rx_packets, tx_packets, drops, punts, loops, sleeps;
	uint64_t made; /* copies, fragments */
};
int ws_router_totals(struct ws_router *router, uint16_t worker, struct ws_router_totals *out);

/* One step of one traced packet: what node it entered, when, and the bytes it had then. */
struct ws_trace_step {
	uint32_t packet; /* counts from 0 per worker */
	uint64_t tsc;
	char node[WS_NAME_LEN];
	uint16_t rx_interface;
	int32_t tx_interface; /* -1 when not decided yet */
	uint32_t adjacency;   /* UINT32_MAX when not decided yet */
	uint16_t packet_len,
		byte_count; /* whole length; how much of it follows, from the Ethernet header */
	uint8_t bytes[WS_TRACE_BYTES];
};

/* Trace the next `count` packets that leave node `node` (dpdk-input, …) on every worker. */
int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count);
int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max);
void ws_router_trace_clear(struct ws_router *router);

/* Mark none but packets with a source or destination in the prefix; NULL: any. */
int ws_router_trace_filter(struct ws_router *router, const struct ws_prefix *prefix);

/*
 * A capture of packets into a file, one at a time: as received, as sent, and as dropped, with the
 * Ethernet header that they then have. The main thread writes them in ws_router_poll.
 */
struct ws_pcap_config {
	bool rx, tx, drop;
	int32_t interface; /* -1: any; of dropped packets the receiving one */
	uint32_t max_packets;
	uint32_t snap_len; /* bytes of a packet to keep */
	bool has_filter;
	struct ws_prefix filter; /* only packets with a source or destination in it */
	int32_t fd;              /* to write to; it is duplicated */
};

struct ws_pcap_status {
	bool is_there, is_on; /* not on any more once it is full */
	uint32_t written, missed;
	int32_t error; /* errno of the file */
};

int ws_router_pcap_start(struct ws_router *router, const struct ws_pcap_config *config);
int ws_router_pcap_status(struct ws_router *router, struct ws_pcap_status *out);
int ws_router_pcap_stop(struct ws_router *router, struct ws_pcap_status *out);

/* ---- Linux: what the kernel of one network namespace says over rtnetlink
 * ----------------------------------- */

/*
 * Interface `index` and TAP port `host` become a pair: what the router does not forward of the one
 * goes to Linux by the other, and comes back that way. A sub-interface's host is its port's.
 */
int ws_router_lcp_pair(struct ws_router *router, uint16_t index, uint16_t host);
int ws_router_lcp_unpair(struct ws_router *router, uint16_t index);

struct ws_linux;

struct ws_linux_link {
	int32_t index, parent; /* parent: of a VLAN, the link that it is on */
	char name[16];
	char kind[16]; /* tun, vlan, veth …, or empty */
	bool is_up;    /* the administrator's wish */
	uint32_t mtu;
	uint8_t mac[6];
	uint16_t vlan_id, vlan_protocol; /* of kind vlan: 0x8100 or 0x88a8 */
};

struct ws_linux_address {
	int32_t link;
	struct ws_prefix prefix;
};

struct ws_linux_stats {
	uint64_t messages;  /* parsed */
	uint64_t overflows; /* the kernel dropped messages: all was read again */
	uint64_t dumps;     /* of one kind of thing each, read to their end */
	uint64_t rejected;  /* routes and neighbours that the router did not take */
	uint64_t routes; /* of the kernel, through links that are paired, or blackholes and the like */
	bool is_syncing; /* a dump is running or due */
	char rejection[256]; /* why the last one was rejected */
};

/*
 * Listen in the namespace (its name, a path, or "" for this one), and begin to read all of it.
 * Routes and neighbours of paired links go to the router by themselves, as it is polled; links and
 * addresses are for the caller to look at. NULL on failure.
 */
struct ws_linux *ws_linux_open(struct ws_router *router, const char *netns);
/* `withdraw`: take the routes that came from there out of the router. */
void ws_linux_close(struct ws_linux *linux_host, bool withdraw);
/* Readable when there is something to poll for. */
int ws_linux_fd(struct ws_linux *linux_host);

enum ws_linux_change { WS_LINUX_LINKS = 1, WS_LINUX_ADDRESSES = 2, WS_LINUX_MORE = 4 };

/*
 * Take in some of what there is; call it again while the descriptor is readable, and once a second.
 * Returns bits of enum ws_linux_change: what to look at again, and whether much is left to take in.
 */
int ws_linux_poll(struct ws_linux *linux_host);
/* Link `link` stands for the interface from now on, or (-1) for none. All is read again. */
int ws_linux_pair(struct ws_linux *linux_host, int32_t link, int32_t interface);
/* Both return how many there are, and write at most `max`. */
int ws_linux_links(struct ws_linux *linux_host, struct ws_linux_link *out, uint32_t max);
int ws_linux_addresses(struct ws_linux *linux_host, struct ws_linux_address *out, uint32_t max);
void ws_linux_stats(struct ws_linux *linux_host, struct ws_linux_stats *out);

/* Requests, done or refused when they return. Links are named by their numbers. */
int ws_linux_link_index(struct ws_linux *linux_host, const char *name);
int ws_linux_set_state(struct ws_linux *linux_host, int32_t link, bool up);
int ws_linux_set_mtu(struct ws_linux *linux_host, int32_t link, uint32_t mtu);
int ws_linux_set_mac(struct ws_linux *linux_host, int32_t link, const uint8_t *mac);
/* An address that is there, or is gone, already is no failure. */
int ws_linux_address_add(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
int ws_linux_address_del(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
/* A VLAN interface on `parent`, of protocol 0x8100 or 0x88a8; returns its number. */
int ws_linux_vlan_add(struct ws_linux *linux_host, const char *name, int32_t parent,
					  uint16_t protocol, uint16_t id);
int ws_linux_link_delete(struct ws_linux *linux_host, int32_t link);

/* ---- Generator
 * -------------------------------------------------------------------------------------------- */

struct ws_generator;

enum ws_op_kind {
	WS_OP_VAR =
		0, /* advance variable `var`: inc, dec or random over [min, max], or through a list */
	WS_OP_TUPLE =
		1, /* advance address `var` and port `var2` together: address first, port on wrap */
	WS_OP_WRITE = 2,      /* write `var` + add at `offset` in `size` bytes */
	WS_OP_WRITE_MASK = 3, /* like it through mask and shift */
	WS_OP_TRIM = 4,       /* packet length (without FCS) = `var` */
	WS_OP_FIX_IP4 = 5,    /* IPv4 header checksum; header at `offset` */
	WS_OP_FIX_L4 = 6,     /* IPv4 (when IPv4) and UDP/TCP checksums; l2_len, l3_len, l4 */
	WS_OP_FIX_ICMP6 = 7,
};

enum ws_var_kind {
	WS_VAR_INC = 0,
	WS_VAR_DEC = 1,
	WS_VAR_RANDOM = 2,
	WS_VAR_RAND_LIMIT = 3,
	WS_VAR_LIST = 4
};
enum ws_l4_kind { WS_L4_UDP = 11, WS_L4_TCP = 13, WS_L4_IP = 17 };

/* One instruction of a field program. Variables are numbered 0 … 15 and hold 64 bits. */
struct ws_op {
	int32_t kind; /* enum ws_op_kind */
	uint16_t var, var2;
	uint8_t size;     /* bytes of the variable or of the write: 1, 2, 4, 8 */
	bool big_endian;  /* of the write */
	int32_t var_kind; /* enum ws_var_kind, of WS_OP_VAR */
	uint64_t min, max, init, step;
	uint64_t min2, max2;  /* the port of a tuple */
	uint64_t limit;       /* values in the repeating random list; flows of a tuple, 0 all */
	uint64_t seed;        /* of random; 0: derived from the stream's id */
	const uint64_t *list; /* WS_VAR_LIST; copied */
	uint32_t list_count;
	bool has_next;     /* WS_OP_VAR: `next_var` advances when this one wraps, and only then */
	uint16_t next_var; /* advanced by a WS_OP_VAR of its own */
	uint16_t offset;   /* from the start of the frame */
	int64_t add;
	uint64_t mask;
	int32_t shift; /* left when positive */
	uint16_t l2_len, l3_len;
	int32_t l4; /* enum ws_l4_kind */
};

enum ws_stream_mode { WS_CONTINUOUS = 0, WS_SINGLE_BURST = 1, WS_MULTI_BURST = 2 };
enum ws_flow_kind { WS_FLOW_NONE = 0, WS_FLOW_STATS = 1, WS_FLOW_LATENCY = 2 };

struct ws_stream {
	uint32_t id; /* unique on the port */
	const uint8_t *packet;
	uint16_t packet_len; /* without FCS; below 60 it is zero-padded */
	bool enabled, self_start, start_paused;
	int32_t mode;          /* enum ws_stream_mode */
	double rate_pps;       /* absolute, at the multiplier the run starts with */
	bool fixed_rate;       /* keeps rate_pps whatever the factor (latency streams) */
	uint64_t packets;      /* of the single burst, or of each burst */
	uint32_t bursts;       /* of a multi-burst */
	double burst_gap_us;   /* between bursts */
	double start_delay_us; /* before the stream starts, each time it is entered */
	int64_t next_id;       /* stream to start when this ends; -1 none */
	uint32_t loops;        /* rounds after which a chain that this stream closes ends; 0 for ever */
	const struct ws_op *ops; /* copied */
	uint16_t op_count;
	uint32_t cache; /* packets to compute once and replay; 0: as the engine likes */
	uint32_t random_seed;
	bool is_null;      /* takes its time but sends nothing; needs no packet */
	int32_t flow_kind; /* enum ws_flow_kind */
	uint32_t flow_id;  /* hardware id of the pg_id: below WS_FLOWS or WS_LATENCY_FLOWS */
	/* WS_FLOW_STATS: mark the end of the payload and not the IP header, which the DUT may change */
	bool flow_signature;
};

/* All ports are served; port i belongs to worker i modulo the number of workers, for TX and RX
 * alike. */
struct ws_generator *ws_generator_create(void);
int ws_generator_start_workers(struct ws_generator *generator);
void ws_generator_destroy(struct ws_generator *generator); /* stops traffic and workers */

/*
 * A port runs any number of profiles at once: sets of streams that start and stop together. Their
 * numbers are the caller's to choose; stream ids are unique in a profile. Start one: `factor`
 * multiplies its rates, `duration_s` below 0 is endless, and at `start_tsc` it begins (0: now).
 * -EBUSY when that profile runs already, -EINVAL with the stream and instruction at fault in
 * ws_error().
 */
int ws_generator_start(struct ws_generator *generator, uint16_t port, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc);
/* Both return when the last packet is sent; stopping what does not run is fine. */
int ws_generator_stop(struct ws_generator *generator, uint16_t port, uint32_t profile);
int ws_generator_stop_port(struct ws_generator *generator, uint16_t port);
int ws_generator_pause(struct ws_generator *generator, uint16_t port, uint32_t profile,
					   bool paused);
int ws_generator_set_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
							double factor);
int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t profile,
							  uint32_t stream_id, bool paused);
int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
								   uint32_t stream_id, double factor);

struct ws_profile_state {
	uint32_t profile;
	bool paused;
};
/* The port's profiles that were started and have not ended; returns how many there are. */
int ws_generator_profiles(struct ws_generator *generator, uint16_t port,
						  struct ws_profile_state *out, uint32_t max);

struct ws_generator_port {
	uint64_t tx_packets, tx_bytes; /* taken by the driver; bytes with FCS */
	uint64_t rx_packets, rx_bytes;
	uint64_t asked_packets;   /* due by the schedule so far: tx + refused + late */
	uint64_t refused_packets; /* the TX ring was full */
	uint64_t late_packets;    /* the worker came too late and let them go; never a burst's */
	uint64_t rx_missed, rx_errors, tx_errors;
	bool active, paused; /* active: a profile has not ended; paused: none of those sends */
};

/* All ports at one instant: out[i] is port i. `tsc` is that instant. Returns the number of ports.
 */
int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *out,
						  uint64_t *tsc);

struct ws_generator_worker {
	uint64_t loops, busy_clocks, total_clocks; /* busy: loops that sent or received */
};
int ws_generator_worker(struct ws_generator *generator, uint16_t worker,
						struct ws_generator_worker *out);

/*
 * Flow statistics. Received packets are looked at from the start of a profile that has streams
 * with a flow_kind until a later start without any; else they are counted unseen. Counts stay and
 * add up over starts until they are reset.
 */
enum {
	WS_FLOWS = 1023,        /* hardware ids of WS_FLOW_STATS */
	WS_LATENCY_FLOWS = 128, /* of WS_FLOW_LATENCY */
	WS_LATENCY_BINS = 64,   /* below 1 us, then 1 … 9 times 1, 10 … 1 000 000 us */
	WS_HDR_COUNTS = 3584,   /* of an HDR histogram of 1 to 10^10 ns with 2 digits */
};

struct ws_flow {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes; /* bytes with FCS */
};

/* Whether the stream's packet can be counted as its flow_kind says: -EINVAL and the reason when it
 * cannot, as ws_generator_start would answer. */
int ws_stream_check_flow(const struct ws_stream *stream);

/* Flows `ids` at one instant: out[i * port count + port]. Returns the port count. */
int ws_generator_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
					   uint32_t count, struct ws_flow *out, uint64_t *tsc);
/* A new life: their counters, on all ports, and their latency. */
int ws_generator_reset_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
							 uint32_t count);

/*
 * What was received of one latency flow. `dropped` are holes in the sequence that nothing filled
 * since; packets that came late are `out_of_order`, ones that came again `duplicate`; each of both
 * is `seq_too_low`, each hole `seq_too_high`.
 */
struct ws_latency {
	uint64_t packets, dropped, duplicate, out_of_order, seq_too_high, seq_too_low;
	uint64_t min_ns, max_ns, sum_ns; /* 0 while nothing was received */
	uint64_t last_max_ns;            /* of the last half to whole second */
	uint64_t jitter_ns;              /* RFC 3550 section 6.4.1 */
	uint64_t histogram[WS_LATENCY_BINS];
	uint64_t hdr[WS_HDR_COUNTS];
	uint32_t hdr_first, hdr_end; /* counts before the first and from the end on are 0 */
};
/* Of each of `ids`; a few flows at one instant, then the next few. */
int ws_generator_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count,
						 struct ws_latency *out);

struct ws_flow_faults {
	uint64_t bad_header; /* marked as of a latency flow, but not one of ours */
	uint64_t old_flow;   /* of an earlier start */
};
int ws_generator_flow_faults(struct ws_generator *generator, struct ws_flow_faults *out);

/*
 * Captures: copies of packets as sent or received, for the main thread to read. `slots` packets
 * wait at most; what finds no room is counted as missed. A capture goes on until it is stopped;
 * what it holds is lost then. Returns the capture's number.
 */
enum ws_capture_what {
	WS_CAPTURE_ALL = 0,
	WS_CAPTURE_CONTROL = 1, /* ARP, ICMP and ICMPv6, in up to two VLAN tags */
};

struct ws_capture_config {
	uint32_t tx_ports, rx_ports; /* bit i: port i */
	uint32_t slots;
	uint16_t snap_len; /* bytes kept of a packet; 0: all */
	int32_t what;      /* enum ws_capture_what */
};

struct ws_captured {
	uint64_t tsc;
	uint16_t port;
	bool is_tx;
	uint16_t packet_len, byte_count; /* whole length without FCS; how much of it was kept */
};

enum { WS_MAX_CAPTURES = 16 };

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config);
/* Takes out at most `max` packets, oldest first for each port; their bytes follow each other in
 * `bytes`, as far as `bytes_len` reaches for whole ones. Returns how many. */
int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len);
/* Packets that found no room so far. */
int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture);
int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture);

struct ws_push {
	const uint8_t *packet; /* copied */
	uint16_t packet_len;   /* without FCS; below 60 it is zero-padded */
	double at_us;          /* after the call; not before the one before it */
};
/* Send packets once, as the medium takes them, beside what profiles send. -EBUSY while the port has
 * some of before. */
int ws_generator_push(struct ws_generator *generator, uint16_t port, const struct ws_push *packets,
					  uint32_t count);
/* How many are still to be sent. */
int ws_generator_push_left(struct ws_generator *generator, uint16_t port);

#endif
