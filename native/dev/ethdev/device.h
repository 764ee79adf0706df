/* SPDX-License-Identifier: Apache-2.0 */
/* State per device of a DPDK driver, for the files of this folder. */
#pragma once

#include "dev/ethdev/admission.h"
#include "dev/ethdev/nic_policy.h"
#include "dev/port_kind.h"

#include <stdbool.h>
#include <stdint.h>

struct ethdev_queue {
	uint16_t id, queue, port;
};

struct ethdev_device {
	uint16_t id; /* DPDK's number of the port, which may differ from the port layer's */
	struct nic_policy policy;
	struct nic_offloads active;
	struct admission admission;
	bool link_was_up, has_queues;
	struct ethdev_queue rx[WS_MAX_QUEUES], tx[WS_MAX_QUEUES];
	/* The driver's last counters, and the sums from before it restarted at 0. */
	struct ws_port_counters last, before;
};

struct ethdev_device *ethdev_device_of(const struct port *port);
/* DPDK's number of the port, which may differ from the port layer's. */
uint16_t ethdev_id(const struct port *port);
