/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/port_table.h"

#include "dev/error.h"

#include <errno.h>
#include <string.h>

struct port port_table[WS_MAX_PORTS];
struct port_path port_paths[WS_MAX_PORTS];

bool port_is_open(uint16_t port)
{
	return port < WS_MAX_PORTS && port_table[port].open;
}

const char *port_name(uint16_t port)
{
	return port_table[port].config.name;
}

const char *port_target(const struct port *port)
{
	return port->config.devargs + strlen(port->kind->prefix);
}

int port_check(uint16_t port)
{
	return port_is_open(port) ? 0 : fail(-ENODEV, "there is no port %u", port);
}
