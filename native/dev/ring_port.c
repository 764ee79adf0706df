/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ring_port.h"

#include "dev/error.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>
#include <stdio.h>

enum { RING_SLOTS = 4096 };

static struct rte_ring *ring(const char *name, const char *direction)
{
	char full[RTE_RING_NAMESIZE];
	snprintf(full, sizeof(full), "ws_%s_%s", name, direction);
	struct rte_ring *found = rte_ring_lookup(full);
	return found ? found : rte_ring_create(full, RING_SLOTS, (int)rte_socket_id(), 0);
}

int ring_port_open(const char *name, uint16_t index, bool alone, bool second)
{
	struct rte_ring *out = ring(name, "out"), *back = alone ? out : ring(name, "back");
	char device[RTE_ETH_NAME_MAX_LEN];
	if (!out || !back)
		return fail(-rte_errno, "ring %s: no memory for %d slots", name, RING_SLOTS);
	struct rte_ring *rx = second ? out : back, *tx = second ? back : out;
	snprintf(device, sizeof(device), "%s_%u", name, index);
	int id = rte_eth_from_rings(device, &rx, 1, &tx, 1, rte_socket_id());
	if (id != index)
		return fail(-ENODEV, "ring %s becomes no port: %s", name, rte_strerror(rte_errno));
	return 0;
}
