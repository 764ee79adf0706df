/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences between NICs: properties known from the driver's name, and the offloads to request
 * out of those that the driver offers. Pure functions; no device is touched.
 */
#pragma once

#include <rte_ethdev.h>
#include <stdbool.h>
#include <stdint.h>

struct nic_policy {
	bool is_pci;
	bool keeps_to_mtu;    /* receives no frame that exceeds its MTU or its buffers */
	bool tells_of_links;  /* link changes raise an interrupt; other links are polled */
	bool filters_groups;  /* receives multicast only on request */
	bool filters_vlans;   /* receives VLANs only on request, one by one */
	bool is_af_packet;    /* the MTU is limited by the slots of the ring */
	bool lingers;         /* removes its interrupts only in a stop, not when it is closed */
	bool restarts;        /* after a stop and a start its settings are unchanged */
	bool has_no_mac;      /* receives any frame; its MAC address is chosen by the port layer */
	bool scatters;        /* a received frame may span several buffers */
	uint8_t header_bytes; /* size of the driver's own header before each frame in a buffer */
	uint8_t fcs_bytes;    /* bytes of FCS per packet that the driver's byte counters include */
	uint16_t most_frame;  /* longest frame received, whatever the driver reports; 0: as reported */
};

/* Offloads to enable on a device, in DPDK's bits; the device offers each of them. */
struct nic_offloads {
	uint64_t rx, tx, rss;
};

/* Requirements of a port for its device. */
struct nic_wish {
	uint16_t rx_queues;
	uint16_t mtu;
	uint32_t capacity; /* of a buffer, in bytes of a frame */
	bool chains;       /* packets in several buffers may be sent */
};

struct nic_policy nic_policy_of(const struct rte_eth_dev_info *info);
struct nic_offloads nic_offloads_of(const struct nic_policy *policy,
									const struct rte_eth_dev_info *info,
									const struct nic_wish *wish);
/* Drop some hash fields, for a driver that refused some that it offers; false if none can be
 * dropped. */
bool nic_hash_less(struct nic_offloads *offloads);

/* Bytes that a packet of size `mtu` takes in a buffer. */
uint32_t nic_frame_bytes(const struct nic_policy *policy, uint16_t mtu);
/* The largest MTU of the device; 0: unknown. */
uint16_t nic_most_mtu(const struct nic_policy *policy, const struct rte_eth_dev_info *info);

/* The highest link speed of the device, from bits of RTE_ETH_LINK_SPEED_*; 0: unknown. */
uint64_t nic_most_speed_bps(uint32_t speeds);
