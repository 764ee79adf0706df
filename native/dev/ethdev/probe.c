/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/probe.h"

#include "dev/dpdk_log.h"
#include "dev/error.h"
#include "dev/ethdev/device.h"
#include "dev/port_table.h"

#include <errno.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <string.h>

/* Drivers return -1 for most failures: their log lines say more than the code. */
static const char *reason(int error)
{
	const char *said = dpdk_log_reason();
	return *said ? said : rte_strerror(-error);
}

static void name_of(const struct port *port, char name[WS_DEVARGS_LEN])
{
	const char *devargs = port->config.devargs;
	snprintf(name, WS_DEVARGS_LEN, "%.*s", (int)strcspn(devargs, ","), devargs);
}

/* Count the DPDK ports of a device and find the `nth`. */
static uint16_t ports_of(const char *name, uint16_t nth, uint16_t *found)
{
	uint16_t id, count = 0;
	RTE_ETH_FOREACH_DEV (id) {
		struct rte_eth_dev_info info;
		if (rte_eth_dev_info_get(id, &info) || !info.device ||
			strcmp(rte_dev_name(info.device), name))
			continue;
		if (count++ == nth)
			*found = id;
	}
	return count;
}

static bool is_of_another(const struct port *port, const char *name)
{
	for (uint16_t i = 0; i < (uint16_t)WS_MAX_PORTS; i++) {
		const struct port *other = port_at(i);
		char theirs[WS_DEVARGS_LEN];
		if (other == port || !other->open || other->kind != port->kind)
			continue;
		name_of(other, theirs);
		if (!strcmp(theirs, name))
			return true;
	}
	return false;
}

/* A virtual device that fails in rte_dev_probe stays on the bus with a description that was freed,
 * unless the bus itself created it. */
static int plug(const struct port *port, const char *name)
{
	const char *devargs = port->config.devargs, *arguments = devargs + strlen(name);
	if (strchr(name, ':'))
		return rte_dev_probe(devargs);
	int error = rte_vdev_init(name, *arguments ? arguments + 1 : NULL);
	return error > 0 ? -ENOENT : error;
}

static void unplug(const char *name)
{
	uint16_t id = 0;
	struct rte_eth_dev_info info;
	if (!ports_of(name, 0, &id)) {
		rte_vdev_uninit(name);
		return;
	}
	if (!rte_eth_dev_info_get(id, &info) && info.device)
		rte_dev_remove(info.device);
}

static int check_free(const struct port *port, const char *name, uint16_t id)
{
	for (uint16_t i = 0; i < (uint16_t)WS_MAX_PORTS; i++) {
		const struct port *other = port_at(i);
		if (other != port && other->open && other->kind == port->kind &&
			ethdev_device_of(other)->id == id)
			return fail(-EEXIST, "port %s: %s is already port %s; name a device once",
						port->config.name, name, other->config.name);
	}
	return 0;
}

static int choose(const struct port *port, const char *name, uint16_t *id)
{
	const struct ws_port_config *config = &port->config;
	uint16_t count = ports_of(name, config->device_port, id);
	if (!count)
		return fail(-ENODEV, "port %s: %s is not a network device", config->name, name);
	if (config->has_device_port ? config->device_port < count : count == 1)
		return check_free(port, name, *id);
	if (count == 1)
		return fail(-ENODEV, "port %s: %s has one port; leave out port=%u", config->name, name,
					config->device_port);
	return fail(-ENODEV, "port %s: %s has %u ports; say which one with port=0 to port=%u",
				config->name, name, count, count - 1);
}

int probe_device(const struct port *port, uint16_t *id)
{
	const struct ws_port_config *config = &port->config;
	uint16_t before = rte_eth_dev_count_avail();
	char name[WS_DEVARGS_LEN];
	name_of(port, name);
	if (is_of_another(port, name))
		return choose(port, name, id);
	dpdk_log_clear();
	int error = plug(port, name);
	if (error)
		return fail(error, "port %s: DPDK cannot open %s: %s", config->name, config->devargs,
					reason(error));
	uint16_t all = rte_eth_dev_count_avail() - before;
	error = choose(port, name, id);
	if (!error && all != ports_of(name, 0, &before))
		error = fail(-ENOTSUP, "port %s: %s creates ports in addition to the one given",
					 config->name, name);
	if (error)
		unplug(name);
	return error;
}

void probe_undo(const struct port *port, struct rte_device *device)
{
	char name[WS_DEVARGS_LEN];
	name_of(port, name);
	if (device && !is_of_another(port, name))
		rte_dev_remove(device);
}
