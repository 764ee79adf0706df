/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up of an opened DPDK device for its port. */
#pragma once

#include "dev/port_kind.h"

/*
 * Configure the stopped device of a port: queues, offloads, hash and MTU. The port's numbers of
 * queues and descriptors become those that the device has. Called again after a reset.
 */
int nic_set_up(struct port *port);
/* Distribute hashed packets evenly over all RX queues of a device that was just started. */
void nic_spread(const struct port *port);

/*
 * Make an open port carry packets of `mtu` bytes. A running NIC is stopped and started again,
 * during which no worker may use it. -EMSGSIZE with an error text if a packet does not fit a
 * buffer. Drivers without the call carry all that fits their buffers: that is not an error.
 */
int nic_set_mtu(struct port *port, uint16_t mtu);

/*
 * Reset the device, on the driver's request, and restore its settings and whether it ran. No worker
 * may use it. After an error the device is unusable.
 */
int nic_reset(struct port *port);
