/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up of an opened DPDK device for its port. */
#pragma once

#include "dev/port_kind.h"

/*
 * Configures the device, which is stopped, with its queues, offloads, hash and MTU; the port's
 * queues and descriptors become those that there are. Again after a reset.
 */
int nic_set_up(struct port *port);
/* Packets hashed go to all RX queues alike. Of a device that was just started. */
void nic_spread(const struct port *port);

/*
 * Have an open port carry packets of `mtu` bytes. A real NIC that runs is stopped for that and
 * started again, for which no worker may touch it. -EMSGSIZE, with its line, when a packet does not
 * fit a buffer. Drivers without the call carry whatever fits their buffers: that is no error.
 */
int nic_set_mtu(struct port *port, uint16_t mtu);

/*
 * The driver said that nothing but a reset helps its device: begin anew, as it was before, running
 * or stopped; no worker may touch it. After an error it is of no use any more.
 */
int nic_reset(struct port *port);
