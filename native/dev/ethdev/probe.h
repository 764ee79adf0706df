/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching the DPDK driver to the device of a port, and detaching it. */
#pragma once

#include "dev/port_kind.h"

struct rte_device;

/*
 * Attach the port's device and return DPDK's number of its port; if the device has several ports,
 * of the one that the configuration names. A device that another port has opened is not attached
 * again. On error, which has an error text, the attempt is undone.
 */
int probe_device(const struct port *port, uint16_t *id);
/* Detach the device of a closed port, unless another open port uses it. Its name can then be used
 * for another device. */
void probe_undo(const struct port *port, struct rte_device *device);
