/* SPDX-License-Identifier: Apache-2.0 */
/* Abilities of some drivers only: LED, flow control, driver-specific counters. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/port_table.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FLOW_CONTROL_BOTH = 3 };

/* Every refusal names the driver, since another driver may support the request. */
static int result(uint16_t port, int error, const char *what)
{
	struct ws_port_info info;
	if (error >= 0)
		return error;
	if (ws_port_info(port, &info))
		return -ENODEV;
	if (error == -ENOTSUP)
		return fail(error, "port %s: driver %s has no %s", info.name, info.driver, what);
	return fail(error, "port %s: driver %s, %s: %s", info.name, info.driver, what,
				strerror(-error));
}

int ws_port_set_led(uint16_t port, bool on)
{
	if (port_check(port))
		return -ENODEV;
	const struct port *p = port_at(port);
	return result(port, p->kind->set_led ? p->kind->set_led(p, on) : -ENOTSUP, "LED");
}

void port_pause_frames(uint16_t port, uint64_t *received, uint64_t *sent)
{
	const struct port *p = port_at(port);
	*received = *sent = UINT64_MAX;
	if (p->kind->pause_frames)
		p->kind->pause_frames(p, received, sent);
}

int ws_port_flow_control(uint16_t port, int32_t *mode)
{
	*mode = -1;
	if (port_check(port))
		return -ENODEV;
	const struct port *p = port_at(port);
	return result(port, p->kind->flow_control ? p->kind->flow_control(p, mode) : -ENOTSUP,
				  "flow control");
}

int ws_port_set_flow_control(uint16_t port, int32_t mode)
{
	if (port_check(port))
		return -ENODEV;
	const struct port *p = port_at(port);
	if (mode < 0 || mode > FLOW_CONTROL_BOTH)
		return fail(-EINVAL, "flow control mode %d; 0 is off, 1 receive, 2 send, 3 both", mode);
	return result(port, p->kind->set_flow_control ? p->kind->set_flow_control(p, mode) : -ENOTSUP,
				  "flow control");
}

/* ---- Counters with DPDK's names ---- */

struct list {
	struct ws_xstat *out;
	uint32_t count, max;
};

static void add(struct list *list, uint64_t value, const char *name)
{
	if (list->count < list->max) {
		snprintf(list->out[list->count].name, sizeof(list->out->name), "%s", name);
		list->out[list->count].value = value;
	}
	list->count++;
}

static void add_queues(struct list *list, const struct port *port, bool rx)
{
	uint16_t count = rx ? port->rx_queues : port->tx_queues;
	char name[64];
	for (uint16_t i = 0; i < count; i++) {
		struct own_pair counts = port->kind->queue_counts(port, rx, i);
		snprintf(name, sizeof(name), "%s_q%u_packets", rx ? "rx" : "tx", i);
		add(list, counts.packets, name);
		snprintf(name, sizeof(name), "%s_q%u_bytes", rx ? "rx" : "tx", i);
		add(list, counts.bytes, name);
	}
}

static int list_counters(const struct port *port, struct ws_xstat *out, uint32_t max)
{
	struct list list = {.out = out, .max = max};
	struct ws_port_counters all;
	int error = port->kind->counters(port, &all);
	if (error)
		return error;
	add(&list, all.rx_packets, "rx_good_packets");
	add(&list, all.tx_packets, "tx_good_packets");
	add(&list, all.rx_bytes, "rx_good_bytes");
	add(&list, all.tx_bytes, "tx_good_bytes");
	add(&list, all.rx_missed, "rx_missed_errors");
	add(&list, all.rx_errors, "rx_errors");
	add(&list, all.tx_errors, "tx_errors");
	add(&list, all.rx_no_buffer, "rx_mbuf_allocation_errors");
	if (port->kind->queue_counts) {
		add_queues(&list, port, true);
		add_queues(&list, port, false);
	}
	return (int)list.count;
}

int ws_port_xstats(uint16_t port, struct ws_xstat *out, uint32_t max)
{
	if (port_check(port))
		return -ENODEV;
	const struct port *p = port_at(port);
	return result(port, (p->kind->xstats ? p->kind->xstats : list_counters)(p, out, max),
				  "counters");
}
