/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind of port is a table of functions. The port layer (port.c) picks the kind by the device
 * string, keeps what all kinds have in common, and calls the functions.
 *
 * Functions marked optional may be NULL. All but the bursts run on the main thread.
 */
#pragma once

#include "dev/port.h"
#include "wire/own_count.h"
#include "wirespeed/ports.h"

#include <rte_ether.h>
#include <stdbool.h>
#include <stdint.h>

struct port;

struct port_kind {
	const char *prefix; /* prefix of the device strings that it opens */
	const char *driver;
	/* It has a thread of its own, which rings the bell of the worker that polls for it; the others
	 * have a descriptor, or nothing that tells of packets. */
	bool rings_bell;
	bool has_twins; /* several ports may have one device string */
	/* Optional: how many slots of a ring hold a buffer at most; all of them without it. */
	uint32_t (*ring_buffers)(const char *devargs);

	/* Fills in the queues that there are, the descriptors, the bursts (port_paths), and `mac`. */
	int (*open)(struct port *port);
	/* Optional: from now on there may be packets. */
	int (*start)(struct port *port);
	/* Optional: the device stops, and neither receives nor has a link, or starts again as it was;
	 * while no worker touches the port (port_shut). Ports without it go on. */
	int (*set_running)(struct port *port, bool on);
	/* Optional: its device was taken out, or is about to be; main thread. */
	bool (*is_removed)(const struct port *port);
	/* Optional: its driver asks for a reset; done as by set_running, after which the port is as it
	 * was. After an error it is to be let go of. */
	bool (*wants_reset)(const struct port *port);
	int (*reset)(struct port *port);
	void (*close)(struct port *port);
	bool (*link_is_up)(const struct port *port);
	int (*counters)(const struct port *port, struct ws_port_counters *out);
	/* Optional: what the driver knows beyond what the layer has filled in. */
	void (*describe)(const struct port *port, struct ws_port_info *info);
	/* Optional: what its device offers, and does of it. */
	int (*device)(const struct port *port, struct ws_port_device *out);
	/* Optional: of one queue. */
	struct own_pair (*queue_counts)(const struct port *port, bool rx, uint16_t queue);
	/* Optional: the driver's own names and counters instead of those. */
	int (*xstats)(const struct port *port, struct ws_xstat *out, uint32_t max);
	/* Optional: counted by the driver, UINT64_MAX of what it does not count. */
	void (*pause_frames)(const struct port *port, uint64_t *received, uint64_t *sent);

	/* Optional: without them the layer remembers what was set. `set_mtu` says in the error text why
	 * it cannot; where the kind has `set_running`, no worker may touch the port meanwhile. */
	int (*set_mac)(struct port *port, const struct rte_ether_addr *mac);
	int (*set_mtu)(struct port *port, uint16_t mtu);
	int (*set_promiscuous)(struct port *port, bool on);
	/* Optional: of multicast these groups alone have to come in; all where there are none. */
	void (*set_groups)(struct port *port, const struct rte_ether_addr *groups, uint32_t count);
	/* Optional: without them the port has no such thing. */
	int (*set_link)(struct port *port, bool up);
	int (*set_led)(const struct port *port, bool on);
	int (*flow_control)(const struct port *port, int32_t *mode);
	int (*set_flow_control)(const struct port *port, int32_t mode);

	/* Optional: what is sent in queue 0 goes into all of them, by flow. */
	void (*spread)(struct port *port);
	/* Optional: memory from which packets are sent without a copy, and its end. */
	void *(*lend)(struct port *port, uint64_t bytes);
	void (*end_loan)(struct port *port, const void *memory);

	/*
	 * Sleep of a worker until packets come, each of them optional. `listen`: the queue's
	 * descriptor joins or leaves an epoll set of DPDK's (kinds that ring the bell only hear whose).
	 * `arm`: it tells of packets, or not. `has_packets`: some came before that.
	 */
	int (*listen)(struct port *port, uint16_t queue, int epoll, uint16_t worker, bool on);
	void (*arm)(struct port *port, uint16_t queue, bool on);
	bool (*has_packets)(const struct port *port, uint16_t queue);
	/* Optional: slots of an RX ring in which a peer's CPU writes what a poll reads. */
	uint32_t (*shared_slots)(const struct port *port, uint16_t queue);
};

struct port {
	struct ws_port_config config;
	const struct port_kind *kind;
	uint16_t index;
	uint16_t rx_queues, tx_queues, rx_descriptors, tx_descriptors, mtu;
	bool open, started, promiscuous;
	bool stops;   /* set_running does something to it */
	bool stopped; /* by set_running */
	bool filters_groups;
	bool hands_over; /* its peer gets the very packets that are sent */
	struct rte_ether_addr mac;
};

/* The kind of a port whose device was removed. */
extern const struct port_kind removed_kind;

/* The registered kind with the longest prefix of the device string: DPDK's drivers, with an empty
 * prefix, open what no other kind does. */
const struct port_kind *port_kind_of(const char *devargs);

struct port_kind_entry {
	const struct port_kind *kind;
	struct port_kind_entry *next;
};
void port_kind_register(struct port_kind_entry *entry);

/* Stands at the foot of the kind's file. */
#define PORT_KIND(name)                                                                            \
	__attribute__((constructor)) static void register_##name(void)                                 \
	{                                                                                              \
		static struct port_kind_entry entry = {.kind = &(name)};                                   \
		port_kind_register(&entry);                                                                \
	}

/* The part of the device string behind the kind's prefix. */
const char *port_target(const struct port *port);
