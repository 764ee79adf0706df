/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of interfaces: settings and counters. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/interface/interface_settings.h"
#include "wire/own_count.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int interface_check_free(const struct ws_router *router, uint16_t index)
{
	uint16_t bond = router->settings[index].bond;
	return bond ? fail(-EINVAL, "%s is a member of %s; give it to the bond, or take it out first",
					   interface_name(router, index), interface_name(router, bond))
				: 0;
}

static uint32_t interface_table_id(const struct ws_router *router, uint16_t index, uint8_t family)
{
	const struct fib_table *table = router_interface_table(router, index, family);
	return table ? table->id : 0;
}

int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct interface *interface = &router->interfaces[index];
	const struct interface_settings *settings = &router->settings[index];
	*out = (struct ws_interface){
		.kind = settings->kind,
		.parent = settings->parent,
		.sub = settings->sub,
		.link_up = settings->link_up,
		.admin_up = interface->admin_up,
		.mtu = interface->mtu,
		.mode = interface->mode,
		.xconnect_to = settings->xconnect_to,
		.bridge_domain = settings->bridge_domain,
		.split_horizon_group = settings->split_horizon_group,
		.tag_rewrite = settings->tag_rewrite,
		.unnumbered_of = settings->unnumbered_of,
		.ip4_table = interface_table_id(router, index, WS_IP4),
		.ip6_table = interface_table_id(router, index, WS_IP6),
		.mpls = interface->mpls,
		.address_count = settings->addresses->given,
	};
	snprintf(out->name, sizeof(out->name), "%s", settings->name);
	memcpy(out->mtus, settings->mtus, sizeof(out->mtus));
	memcpy(out->mac, interface->mac, sizeof(out->mac));
	memcpy(out->addresses, settings->addresses->at, sizeof(out->addresses));
	return 0;
}

int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out)
{
	struct ws_port_counters port = {0};
	int error = router_check_interface(router, index);
	if (!error && index < WS_MAX_PORTS)
		error = ws_port_counters(index, &port);
	if (error)
		return error;
	*out = (struct ws_interface_counters){
		.rx_packets = port.rx_packets,
		.rx_bytes = port.rx_bytes,
		.tx_packets = port.tx_packets,
		.tx_bytes = port.tx_bytes,
		.rx_missed = port.rx_missed,
		.rx_errors = port.rx_errors,
		.rx_no_buffer = port.rx_no_buffer,
		.tx_errors = port.tx_errors,
	};
	for (uint16_t i = 0; i < router->worker_count; i++) {
		const struct interface_counts *counts = router->workers[i]->interfaces;
		out->rx_packets += own_count_read(&counts->rx.at[index].packets);
		out->rx_bytes += own_count_read(&counts->rx.at[index].bytes);
		out->tx_packets += own_count_read(&counts->tx.at[index].packets);
		out->tx_bytes += own_count_read(&counts->tx.at[index].bytes);
		out->ip4 += own_count_read(&counts->ip4.at[index]);
		out->ip6 += own_count_read(&counts->ip6.at[index]);
		out->mpls += own_count_read(&counts->mpls.at[index]);
		out->drops += own_count_read(&counts->drops.at[index]);
		out->punts += own_count_read(&counts->punts.at[index]);
		out->tx_errors += own_count_read(&counts->tx_errors.at[index]);
	}
	return 0;
}
