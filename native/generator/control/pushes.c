/* SPDX-License-Identifier: Apache-2.0 */
/* Packets sent once, for the main thread: built here and handed to the port's first worker. */
#include "dev/error.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "generator/traffic/push.h"
#include "wire/ethernet.h"
#include "wirespeed/ports.h"
#include "wirespeed/push.h"

#include <errno.h>
#include <rte_cycles.h>

static void do_push(void *argument)
{
	struct generator_port *port = argument;
	port->pushing->origin = rte_rdtsc();
	port->push = port->pushing;
}

static void do_drop(void *argument)
{
	struct generator_port *port = argument;
	port->push = NULL;
}

int ws_generator_push(struct ws_generator *generator, uint16_t index, const struct ws_push *packets,
					  uint32_t count)
{
	struct ws_port_info info;
	int error = ws_generator_push_left(generator, index);
	if (error > 0)
		return fail(-EBUSY,
					"port %s still has %d packets of an earlier push to send; wait, or stop them",
					port_name(index), error);
	if (!error)
		error = ws_port_info(index, &info);
	if (error)
		return error;
	struct generator_port *port = generator->ports[index].shares;
	port->fresh = generator_fresh(generator, port->worker);
	if (!port->fresh)
		return -ENOMEM;
	struct push *push =
		push_create(packets, count, (uint16_t)(info.mtu + ETHERNET_MAX_LEN), &error);
	if (!push)
		return error;
	push_free(port->pushing);
	port->pushing = push;
	generator_ask(generator, port->worker, do_push, port);
	return 0;
}

int ws_generator_push_left(struct ws_generator *generator, uint16_t index)
{
	if (index >= generator->port_count)
		return fail(-ENODEV, "there is no port %u; there are %u", index, generator->port_count);
	const struct push *push = generator->ports[index].shares->pushing;
	return push ? (int)(push->count - __atomic_load_n(&push->next, __ATOMIC_ACQUIRE)) : 0;
}

void generator_drop_pushed(struct ws_generator *generator, uint16_t index)
{
	struct generator_port *port = generator->ports[index].shares;
	generator_ask(generator, port->worker, do_drop, port);
	push_free(port->pushing);
	port->pushing = NULL;
}
