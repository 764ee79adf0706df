/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/device.h"

static struct ethdev_device devices[WS_MAX_PORTS];

struct ethdev_device *ethdev_device_of(const struct port *port)
{
	return &devices[port->index];
}

uint16_t ethdev_id(const struct port *port)
{
	return devices[port->index].id;
}
