/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, for router and generator. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* When reception from a port begins. */
enum ws_rx_start {
	WS_RX_AT_ONCE = 0,
	WS_RX_WHEN_UP = 1,   /* when its interface goes up for the first time */
	WS_RX_WHEN_TOLD = 2, /* at ws_port_start_rx */
};

struct ws_port_config {
	char name[WS_NAME_LEN]; /* the user's name, such as e0; "%s" in it becomes TenGigabitEthernet …
							 */
	/* A port spec that begins with memif:, ring: or tap:, or a DPDK device string. */
	char devargs[WS_DEVARGS_LEN];
	uint16_t rx_queues, tx_queues; /* reduced to what the driver has; at least 1 */
	uint16_t rx_descriptors, tx_descriptors;
	uint16_t mtu; /* L3 bytes */
	bool has_mac;
	uint8_t mac[6];
	uint64_t speed_bps; /* nominal link speed; 0: ask the driver */
	bool promiscuous;
	bool chains; /* packets in several buffers may be sent */
	/* Port number within a device whose ports share a PCI address. */
	bool has_device_port;
	uint16_t device_port;
	uint8_t rx_start; /* enum ws_rx_start */
};

/* The meaning of a packet that a port does not take. */
enum ws_medium {
	WS_MEDIUM_RING = 0,  /* the peer did not drain its ring: memif, vhost, ring */
	WS_MEDIUM_QUEUE = 1, /* the tester's own TX queue is full: all other ports */
};

struct ws_port_info {
	char name[WS_NAME_LEN], driver[WS_NAME_LEN], bus_address[WS_NAME_LEN];
	uint8_t mac[6];
	bool link_up, started, is_virtual, promiscuous;
	bool removed;            /* the device was removed; the port stays down */
	uint64_t speed_bps;      /* the nominal speed if given, else the link's; 0: unknown */
	uint64_t most_speed_bps; /* highest speed of the device; 0: unknown */
	int32_t medium;          /* enum ws_medium */
	int32_t numa;            /* -1: unknown */
	uint16_t mtu, max_mtu;
	/* The longest frames with the settings at opening, without FCS; 0: unknown. */
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

/* The driver's counters since start. Bytes do not include the FCS. */
struct ws_port_counters {
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes;
	uint64_t rx_missed, rx_errors, tx_errors, rx_no_buffer;
};

/*
 * Number of buffers in the packet pool for these ports and so many workers: what their rings and
 * the workers can hold, and a reserve. May be called before the runtime is initialized.
 */
uint32_t ws_pool_buffers(const struct ws_port_config *configs, uint16_t count, uint16_t workers);
/* Add `held` buffers for queues of the program, and have at least `buffers` in all, for frames of
 * `frame_size` bytes. Call it before ports are opened. */
void ws_pool_configure(uint32_t held, uint32_t buffers, uint32_t frame_size);

/*
 * Open all ports of the process at once, before the router or generator is created; port i is
 * configs[i]. `count` may be 0. The packet pool is sized for their rings. If one fails, none stays
 * open.
 */
int ws_ports_open(const struct ws_port_config *configs, uint16_t count);
void ws_ports_close(void);
/* Open a further port, which uses the existing pool; returns its number, the lowest free one. */
int ws_port_add(const struct ws_port_config *config);
/* Nothing may use the port any more. */
int ws_port_delete(uint16_t port);
/* Begin to receive from a port with delayed reception; -EALREADY if it receives. May be called at
 * any time, under traffic. */
int ws_port_start_rx(uint16_t port);
int ws_port_info(uint16_t port, struct ws_port_info *out);
/* -ENOTSUP for ports without a DPDK driver. */
int ws_port_device(uint16_t port, struct ws_port_device *out);
int ws_port_counters(uint16_t port, struct ws_port_counters *out);
int ws_port_set_promiscuous(uint16_t port, bool on);
/* Readable when the link of a port may have changed, for ports with link events. */
int ws_links_fd(void);
int ws_port_set_link(uint16_t port, bool up);
/* Link losses of the port since its interface was created, including those between two calls;
 * negative errno on failure, -ENOTSUP if they are not counted. */
int64_t ws_port_link_losses(uint16_t port);
int ws_port_set_mac(uint16_t port, const uint8_t *mac);
/* This and the next two calls return -ENOTSUP if the driver does not support them. */
int ws_port_set_led(uint16_t port, bool on);
/* Modes: 0 off, 1 receive, 2 send, 3 both. */
int ws_port_flow_control(uint16_t port, int32_t *mode);
int ws_port_set_flow_control(uint16_t port, int32_t mode);
/* Extended counters of the driver, including those per queue; returns their number. */
struct ws_xstat {
	char name[64];
	uint64_t value;
};
int ws_port_xstats(uint16_t port, struct ws_xstat *out, uint32_t max);
int ws_port_set_mtu(uint16_t port, uint16_t mtu);
