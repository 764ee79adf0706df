/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to know of each device that one of DPDK's drivers serves, for this folder's files.
 */
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
	uint16_t id; /* DPDK's number of the port, which may be another one than ours */
	struct nic_policy policy;
	struct nic_offloads active;
	struct admission admission;
	bool link_was_up, has_queues;
	struct ethdev_queue rx[WS_MAX_QUEUES], tx[WS_MAX_QUEUES];
	/* What the driver last said, and what it had counted before it began anew. */
	struct ws_port_counters last, before;
};

/* That of our port. */
struct ethdev_device *ethdev_device_of(const struct port *port);
/* DPDK's number of the port, which may be another one than ours. */
uint16_t ethdev_id(const struct port *port);
