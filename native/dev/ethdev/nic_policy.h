/* SPDX-License-Identifier: Apache-2.0 */
/* What differs from one NIC driver to the next and has to be known beforehand. */
#ifndef DEV_ETHDEV_NIC_POLICY_H
#define DEV_ETHDEV_NIC_POLICY_H

#include "dev/port_kind.h"

#include <rte_ethdev.h>
#include <stdbool.h>
#include <stdint.h>

struct nic_policy {
	bool is_pci;
	bool tells_of_links;  /* by an interrupt; the others have to be asked */
	bool filters_groups;  /* multicast does not come in unless it is asked for */
	bool filters_vlans;   /* nor do VLANs, each by itself */
	bool is_af_packet;    /* whose MTU is that of its ring */
	bool lingers;         /* lets go of its interrupts in a stop alone, not when it is closed */
	bool restarts;        /* goes on after a stop as it was before */
	bool has_no_mac;      /* takes any frame, and its address is what we say */
	uint8_t header_bytes; /* of its own, with each frame in a buffer */
	uint8_t fcs_bytes;    /* of each packet, in the driver's byte counters */
};

struct nic_policy nic_policy_of(const struct rte_eth_dev_info *info);

/* The fastest that its link can be, by bits of RTE_ETH_LINK_SPEED_*; 0: nothing says. */
uint64_t nic_most_speed_bps(uint32_t speeds);

/*
 * Have an open port carry packets of `mtu` bytes. A real NIC that runs is stopped for that and
 * started again, for which no worker may touch it. -EMSGSIZE, with its line, when a packet does not
 * fit a buffer. Drivers without the call carry whatever fits their buffers: that is no error.
 */
int nic_set_mtu(struct port *port, const struct nic_policy *policy, uint16_t mtu);

#endif
