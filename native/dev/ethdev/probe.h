/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching DPDK's driver to the device of a port, and detaching it. */
#pragma once

#include "dev/port_kind.h"

struct rte_device;

/*
 * DPDK's number of the port: that of its device, or of several ports of one device the one that the
 * configuration names. A device that another port of ours has opened is not opened twice. After an
 * error, which has its line, nothing is left of what was tried.
 */
int probe_device(const struct port *port, uint16_t *id);
/* DPDK's port `id` was closed: let go of its device, unless another port of ours is of it too. So
 * another device may bear its name. */
void probe_undo(const struct port *port, struct rte_device *device);
