/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, for router and generator. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* When the first packets are received from a port. */
enum ws_rx_start {
	WS_RX_AT_ONCE = 0,
	WS_RX_WHEN_UP = 1,   /* when its interface goes up for the first time */
	WS_RX_WHEN_TOLD = 2, /* by ws_port_start_rx */
};

struct ws_port_config {
	char name[WS_NAME_LEN]; /* the user's name: e0; "%s" in it becomes TenGigabitEthernet … */
	/* memif:, ring: and tap: with what is behind them in a port spec; else DPDK's device string. */
	char devargs[WS_DEVARGS_LEN];
	uint16_t rx_queues, tx_queues; /* clipped to what the driver has; never below 1 */
	uint16_t rx_descriptors, tx_descriptors;
	uint16_t mtu; /* L3 bytes */
	bool has_mac;
	uint8_t mac[6];
	uint64_t speed_bps; /* nominal line; 0: ask the driver */
	bool promiscuous;
	bool chains; /* packets that lie in several buffers may be sent */
	/* Port number within a device whose ports share one PCI address. */
	bool has_device_port;
	uint16_t device_port;
	uint8_t rx_start; /* enum ws_rx_start */
};

/* The meaning of a packet that a port does not take. */
enum ws_medium {
	WS_MEDIUM_RING = 0,  /* the peer did not drain its ring: memif, vhost, ring */
	WS_MEDIUM_QUEUE = 1, /* our own transmit queue is full: everything else */
};

struct ws_port_info {
	char name[WS_NAME_LEN], driver[WS_NAME_LEN], bus_address[WS_NAME_LEN];
	uint8_t mac[6];
	bool link_up, started, is_virtual, promiscuous;
	bool removed;            /* its device was taken out; the port stays down for good */
	uint64_t speed_bps;      /* nominal when given, else the link's; 0 unknown */
	uint64_t most_speed_bps; /* highest speed of the device; 0 unknown */
	int32_t medium;          /* enum ws_medium */
	int32_t numa;            /* -1: of no node */
	uint16_t mtu, max_mtu;
	/* The longest frames as it was opened, without FCS; 0 unknown. */
	uint32_t longest_tx, longest_rx;
	uint16_t rx_queues, tx_queues, max_rx_queues, max_tx_queues;
	uint16_t rx_descriptors, tx_descriptors;
	uint16_t min_rx_descriptors, max_rx_descriptors, min_tx_descriptors, max_tx_descriptors;
};

/* Offloads of a port's DPDK driver, offered and active: VPP's names, each followed by a space. */
enum { WS_OFFLOADS_LEN = 768 };
struct ws_port_device {
	char rx_offered[WS_OFFLOADS_LEN], rx_active[WS_OFFLOADS_LEN];
	char tx_offered[WS_OFFLOADS_LEN], tx_active[WS_OFFLOADS_LEN];
	char hash_offered[WS_OFFLOADS_LEN], hash_active[WS_OFFLOADS_LEN]; /* fields of the RSS hash */
	char rx_burst[WS_NAME_LEN], tx_burst[WS_NAME_LEN]; /* empty: the driver does not say */
	uint32_t max_rx_packet;
	uint16_t hash_key_bytes, reta_size;
	bool all_multicast;
};

/* The driver's own counters since start. Bytes are without FCS. */
struct ws_port_counters {
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes;
	uint64_t rx_missed, rx_errors, tx_errors, rx_no_buffer;
};

/*
 * Size of the packet pool of these ports, in buffers, for so many workers: what their
 * rings and the workers may hold, and some to spare. Before the runtime is there, too.
 */
uint32_t ws_pool_buffers(const struct ws_port_config *configs, uint16_t count, uint16_t workers);
/* `held` buffers more, which the program's own queues may hold; and at least `buffers` in all, for
 * frames of `frame_size` bytes; before ports are opened. */
void ws_pool_configure(uint32_t held, uint32_t buffers, uint32_t frame_size);

/*
 * Open all ports of the process at once, before the router or generator is made; port i is
 * configs[i]. There may be none. The packet pool is sized for their rings. Nothing stays open when
 * one fails.
 */
int ws_ports_open(const struct ws_port_config *configs, uint16_t count);
void ws_ports_close(void);
/* A further port, in the pool that is there; returns its number, the lowest one free. */
int ws_port_add(const struct ws_port_config *config);
/* Nobody may use it any more. */
int ws_port_delete(uint16_t port);
/* Receive from a port whose reception waits; -EALREADY when it does not. Any time, under traffic.
 */
int ws_port_start_rx(uint16_t port);
int ws_port_info(uint16_t port, struct ws_port_info *out);
/* -ENOTSUP of ports that none of DPDK's drivers makes. */
int ws_port_device(uint16_t port, struct ws_port_device *out);
int ws_port_counters(uint16_t port, struct ws_port_counters *out);
int ws_port_set_promiscuous(uint16_t port, bool on);
/* Readable when the link of a port may have changed, as far as somebody tells of that. */
int ws_links_fd(void);
int ws_port_set_link(uint16_t port, bool up);
/* Link losses of the port since its interface was made, also between two looks;
 * negative as of errno, -ENOTSUP where nobody counts. */
int64_t ws_port_link_losses(uint16_t port);
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
