/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences between NICs: properties known from the driver's name, and offloads requested by what
 * the driver offers. Pure functions; no device is touched.
 */
#pragma once

#include <rte_ethdev.h>
#include <stdbool.h>
#include <stdint.h>

struct nic_policy {
	bool is_pci;
	bool keeps_to_mtu;    /* no frame comes in that its MTU or its buffers are too small for */
	bool tells_of_links;  /* by an interrupt; the others have to be asked */
	bool filters_groups;  /* multicast does not come in unless it is asked for */
	bool filters_vlans;   /* nor do VLANs, each by itself */
	bool is_af_packet;    /* its MTU is that of its ring */
	bool lingers;         /* lets go of its interrupts in a stop alone, not when it is closed */
	bool restarts;        /* goes on after a stop as it was before */
	bool has_no_mac;      /* takes any frame, and its address is what we say */
	bool scatters;        /* a frame may lie in several buffers */
	uint8_t header_bytes; /* the driver's own header before each frame in a buffer */
	uint8_t fcs_bytes;    /* bytes of FCS per packet in the driver's byte counters */
	uint16_t most_frame;  /* the longest that comes in whatever it promises; 0: as it says */
};

/* Offloads enabled on a device, in DPDK's bits; each is one that it offers. */
struct nic_offloads {
	uint64_t rx, tx, rss;
};

/* A port's requirements of its device. */
struct nic_wish {
	uint16_t rx_queues;
	uint16_t mtu;
	uint32_t capacity; /* for a frame in a buffer */
	bool chains;       /* packets that lie in several buffers may be sent */
};

struct nic_policy nic_policy_of(const struct rte_eth_dev_info *info);
struct nic_offloads nic_offloads_of(const struct nic_policy *policy,
									const struct rte_eth_dev_info *info,
									const struct nic_wish *wish);
/* Fewer fields to hash, for a driver that refused what it offers; false when there are none less.
 */
bool nic_hash_less(struct nic_offloads *offloads);

/* Bytes of a packet of size `mtu` in a buffer. */
uint32_t nic_frame_bytes(const struct nic_policy *policy, uint16_t mtu);
/* The largest packets that it carries; 0: nothing says. */
uint16_t nic_most_mtu(const struct nic_policy *policy, const struct rte_eth_dev_info *info);

/* The fastest that its link can be, by bits of RTE_ETH_LINK_SPEED_*; 0: nothing says. */
uint64_t nic_most_speed_bps(uint32_t speeds);
