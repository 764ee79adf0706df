/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the data plane (C on DPDK) and its control plane.
 *
 * Plain structs and functions only: no macros, no inlines, no DPDK types, no callbacks. Lines that
 * begin with '#' are dropped by the Python binding, which reads the rest as it stands.
 *
 * One thread, the main thread, calls all of this. Workers never call out. Unless said otherwise a
 * function returns 0 (or a count) on success and a negative errno on failure, and ws_error() then
 * holds one line for the user. Addresses (IPv4) are in host byte order; MAC addresses are six bytes
 * as on the wire. Times are in seconds or TSC ticks as named. Strings are UTF-8, NUL-terminated,
 * truncated if longer than their field.
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
	WS_MAX_WORKERS = 16,
	WS_MAX_QUEUES = 16,
	WS_MAX_PATHS = 16,    /* of one route */
	WS_TRACE_BYTES = 128, /* of a packet kept per trace step */
	WS_PACKET_LEN = 9216, /* longest frame, FCS included */
};

const char *ws_error(void);

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
	char name[WS_NAME_LEN]; /* as the user calls it: e0 */
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

/*
 * Open all ports of the process at once, before the router or generator is made; port i is
 * configs[i]. The packet pool is sized for their rings. Nothing stays open when one fails.
 */
int ws_ports_open(const struct ws_port_config *configs, uint16_t count);
void ws_ports_close(void);
int ws_port_info(uint16_t port, struct ws_port_info *out);
int ws_port_counters(uint16_t port, struct ws_port_counters *out);
int ws_port_set_promiscuous(uint16_t port, bool on);
int ws_port_set_link(uint16_t port, bool up);
int ws_port_set_mac(uint16_t port, const uint8_t *mac);
int ws_port_set_mtu(uint16_t port, uint16_t mtu);

/* ---- Router
 * ------------------------------------------------------------------------------------------------
 */

struct ws_router;

struct ws_router_config {
	uint32_t max_ip4_routes; /* 0: 262 144 */
	uint32_t max_neighbors;  /* 0: 4 096 */
	uint32_t icmp_rate_pps;  /* ICMP errors a second and worker; 0: 1 000 */
};

/* Interface i is port i, under the port's name. RX queues are spread over the workers round robin.
 */
struct ws_router *ws_router_create(const struct ws_router_config *config);
int ws_router_start(struct ws_router *router);
void ws_router_stop(struct ws_router *router);
void ws_router_destroy(struct ws_router *router);

enum ws_interface_mode { WS_MODE_L3 = 0, WS_MODE_XCONNECT = 1 };

struct ws_ip4_prefix {
	uint32_t address;
	uint8_t length;
};

enum { WS_MAX_ADDRESSES = 8 };

struct ws_interface {
	char name[WS_NAME_LEN];
	bool admin_up;
	uint16_t mtu;
	uint8_t mac[6];
	int32_t mode;         /* enum ws_interface_mode */
	uint16_t xconnect_to; /* interface index, in WS_MODE_XCONNECT */
	uint16_t address_count;
	struct ws_ip4_prefix addresses[WS_MAX_ADDRESSES];
};

/* Summed over workers. Bytes are frame bytes without FCS. */
struct ws_interface_counters {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t drops, punts, ip4, rx_missed, rx_errors, rx_no_buffer, tx_errors;
};

int ws_router_interface_count(struct ws_router *router);
int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out);
int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out);
int ws_router_set_state(struct ws_router *router, uint16_t index, bool up);
int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu);
int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac);
/* -EEXIST, or -EINVAL when it overlaps an address of another interface */
int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix);
int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix);
int ws_router_set_xconnect(struct ws_router *router, uint16_t index,
						   uint16_t to); /* one direction */
int ws_router_set_l3(struct ws_router *router, uint16_t index);

/* RX queue `queue` of interface `index` is polled by `worker`; the router must be stopped. */
int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker);
int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue); /* worker */

enum ws_path_kind {
	WS_PATH_NEXT_HOP = 0, /* via next_hop [interface] */
	WS_PATH_ATTACHED = 1, /* connected on interface: each destination is its own next hop */
	WS_PATH_LOCAL = 2,    /* ours */
	WS_PATH_DROP = 3,
};

struct ws_path {
	int32_t kind; /* enum ws_path_kind */
	uint32_t next_hop;
	int32_t interface; /* -1: the connected one that covers next_hop */
	uint16_t weight;   /* 0 means 1 */
};

struct ws_route {
	struct ws_ip4_prefix prefix;
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
	bool is_static; /* false: made by an address or a neighbour */
};

/* Add or replace (`replace`) the static route; -EEXIST when it is there and may not be replaced. */
int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace);
/* The same paths for `count` prefixes, each one prefix size above the one before; returns how many
 * were added. */
int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace);
/* -ENOENT when there is no such static route. `count` as above. */
int64_t ws_router_route_del_many(struct ws_router *router, struct ws_ip4_prefix first,
								 uint32_t count);
int64_t ws_router_route_count(struct ws_router *router);
/* Routes in order of (address, length), from position `start`; returns how many were written. */
int ws_router_routes(struct ws_router *router, uint64_t start, struct ws_route *out, uint32_t max);
/* The route of exactly this prefix; -ENOENT when there is none. */
int ws_router_route_get(struct ws_router *router, struct ws_ip4_prefix prefix,
						struct ws_route *out);
/* The longest match of `address`; -ENOENT when there is none. */
int ws_router_route_lookup(struct ws_router *router, uint32_t address, struct ws_route *out);

enum ws_neighbor_state {
	WS_NEIGHBOR_INCOMPLETE = 0,
	WS_NEIGHBOR_REACHABLE = 1,
	WS_NEIGHBOR_STATIC = 2
};

struct ws_neighbor {
	uint16_t interface;
	uint32_t address;
	uint8_t mac[6];
	int32_t state; /* enum ws_neighbor_state */
	double age_s;
};

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, uint32_t address,
						   const uint8_t *mac);
int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, uint32_t address);
int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max);

/*
 * Workers hand what they learn (ARP) to the main thread: the descriptor becomes readable, and
 * ws_router_poll applies it. Returns the number of events. Call it once a second as well: it ages
 * neighbours.
 */
int ws_router_event_fd(struct ws_router *router);
int ws_router_poll(struct ws_router *router);

enum ws_node_state { WS_NODE_ACTIVE = 0, WS_NODE_POLLING = 1 };

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

struct ws_router_totals {
	uint64_t rx_packets, tx_packets, drops, punts, loops;
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
	uint64_t late_packets;    /* the worker came too late and let them go */
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
};
int ws_generator_latency(struct ws_generator *generator, uint32_t id, struct ws_latency *out);

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
/* Send packets once, beside what profiles send. -EBUSY while the port has some of before. */
int ws_generator_push(struct ws_generator *generator, uint16_t port, const struct ws_push *packets,
					  uint32_t count);
/* How many are still to be sent. */
int ws_generator_push_left(struct ws_generator *generator, uint16_t port);

#endif
