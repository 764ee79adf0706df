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
	/* True if the kind has a thread that rings the bell of the worker that polls the port; other
	 * kinds have a descriptor, or cannot signal packets. */
	bool rings_bell;
	bool has_twins; /* several ports may have one device string */
	/* Optional: the maximum number of slots of a ring that hold a buffer; all of them without it.
	 */
	uint32_t (*ring_buffers)(const char *devargs);

	/* Fills in the numbers of queues and descriptors, the bursts (port_paths), and `mac`. */
	int (*open)(struct port *port);
	/* Optional: from now on packets may come. */
	int (*start)(struct port *port);
	/* Optional: stop the device, so that it neither receives nor has a link, or start it again with
	 * its settings. No worker uses the port (port_shut). Ports of other kinds keep running. */
	int (*set_running)(struct port *port, bool on);
	/* Optional: the device was removed, or is about to be; main thread. */
	bool (*is_removed)(const struct port *port);
	/* Optional: `wants_reset`: the driver requests a reset. `reset`: under the conditions of
	 * set_running; restores the settings. After an error the device is to be closed. */
	bool (*wants_reset)(const struct port *port);
	int (*reset)(struct port *port);
	void (*close)(struct port *port);
	bool (*link_is_up)(const struct port *port);
	int (*counters)(const struct port *port, struct ws_port_counters *out);
	/* Optional: add what the driver knows to what the layer has filled in. */
	void (*describe)(const struct port *port, struct ws_port_info *info);
	/* Optional: offloads that the device offers, and those that are enabled. */
	int (*device)(const struct port *port, struct ws_port_device *out);
	/* Optional: counters of one queue. */
	struct own_pair (*queue_counts)(const struct port *port, bool rx, uint16_t queue);
	/* Optional: the driver's own names and counters in place of those of the queues. */
	int (*xstats)(const struct port *port, struct ws_xstat *out, uint32_t max);
	/* Optional: as counted by the driver; UINT64_MAX if it does not count them. */
	void (*pause_frames)(const struct port *port, uint64_t *received, uint64_t *sent);

	/* Optional: without them the layer stores what was set. `set_mtu` sets an error text on
	 * failure; if the kind has `set_running`, no worker uses the port during the call. */
	int (*set_mac)(struct port *port, const struct rte_ether_addr *mac);
	int (*set_mtu)(struct port *port, uint16_t mtu);
	int (*set_promiscuous)(struct port *port, bool on);
	/* Optional: request these multicast groups only; all if there are none. */
	void (*set_groups)(struct port *port, const struct rte_ether_addr *groups, uint32_t count);
	/* Optional: without them the port does not have the ability. */
	int (*set_link)(struct port *port, bool up);
	int (*set_led)(const struct port *port, bool on);
	int (*flow_control)(const struct port *port, int32_t *mode);
	int (*set_flow_control)(const struct port *port, int32_t mode);

	/* Optional: packets sent in queue 0 are distributed over all TX queues, by flow. */
	void (*spread)(struct port *port);
	/* Optional: lend memory from which packets are sent without a copy, and return it. */
	void *(*lend)(struct port *port, uint64_t bytes);
	void (*end_loan)(struct port *port, const void *memory);

	/*
	 * For workers that sleep until packets come, each optional. `listen`: add the queue's
	 * descriptor to an epoll set of DPDK, or remove it (kinds that ring the bell only store the
	 * worker). `arm`: turn the signalling of packets on or off. `has_packets`: packets came before
	 * that.
	 */
	int (*listen)(struct port *port, uint16_t queue, int epoll, uint16_t worker, bool on);
	void (*arm)(struct port *port, uint16_t queue, bool on);
	bool (*has_packets)(const struct port *port, uint16_t queue);
	/* Optional: number of slots of an RX ring that a peer's CPU writes and a poll reads. */
	uint32_t (*shared_slots)(const struct port *port, uint16_t queue);
};

struct port {
	struct ws_port_config config;
	const struct port_kind *kind;
	uint16_t index;
	uint16_t rx_queues, tx_queues, rx_descriptors, tx_descriptors, mtu;
	bool open, started, promiscuous;
	bool stops;   /* set_running has an effect on this port */
	bool stopped; /* by set_running */
	bool filters_groups;
	bool hands_over; /* the peer gets the sent packets themselves, not copies */
	struct rte_ether_addr mac;
};

/* The kind of a port whose device was removed. */
extern const struct port_kind removed_kind;

/* The registered kind with the longest prefix that the device string begins with. The DPDK kind has
 * an empty prefix, so it opens all device strings that no other kind does. */
const struct port_kind *port_kind_of(const char *devargs);

struct port_kind_entry {
	const struct port_kind *kind;
	struct port_kind_entry *next;
};
void port_kind_register(struct port_kind_entry *entry);

/* Placed at the foot of the kind's file. */
#define PORT_KIND(name)                                                                            \
	__attribute__((constructor)) static void register_##name(void)                                 \
	{                                                                                              \
		static struct port_kind_entry entry = {.kind = &(name)};                                   \
		port_kind_register(&entry);                                                                \
	}

/* The part of the device string behind the kind's prefix. */
const char *port_target(const struct port *port);
