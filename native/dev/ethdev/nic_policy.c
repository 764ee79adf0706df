/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/nic_policy.h"

#include "dev/error.h"
#include "dev/ethdev/ethdev.h"
#include "dev/link.h"
#include "dev/pool.h"

#include <errno.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <string.h>

static bool is_on_bus(const struct rte_eth_dev_info *info, const char *bus)
{
	return info->device && rte_dev_bus(info->device) &&
		   !strcmp(rte_bus_name(rte_dev_bus(info->device)), bus);
}

static bool is_driver(const struct rte_eth_dev_info *info, const char *driver)
{
	return info->driver_name && !strcmp(info->driver_name, driver);
}

struct nic_policy nic_policy_of(const struct rte_eth_dev_info *info)
{
	bool is_pci = is_on_bus(info, "pci");
	bool is_vmxnet3 = is_driver(info, "net_vmxnet3"), is_virtio = is_driver(info, "net_virtio");
	return (struct nic_policy){
		.is_pci = is_pci,
		/* vmxnet3 has the interrupt, which never comes. */
		.tells_of_links = (*info->dev_flags & RTE_ETH_DEV_INTR_LSC) && !is_vmxnet3,
		.filters_groups = is_pci,
		/* Of the drivers that can, this one alone does so unasked. */
		.filters_vlans = is_virtio && (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER),
		.lingers = is_virtio,
		.header_bytes = is_virtio ? POOL_VIRTIO_HEADER_LEN : 0,
		/* Drivers on files and sockets of Linux close them when they are stopped. */
		.is_af_packet = is_driver(info, "net_af_packet"),
		.restarts = is_pci || is_driver(info, "net_tap"),
		/* All of its ports are called the same in each process, and cannot be called otherwise. */
		.has_no_mac = is_driver(info, "net_vhost"),
		/* Of Intel's drivers this one alone takes the registers as they are. */
		.fcs_bytes = is_driver(info, "net_e1000_em") ? RTE_ETHER_CRC_LEN : 0,
	};
}

uint64_t nic_most_speed_bps(uint32_t speeds)
{
	static const struct {
		uint32_t bit, mbps;
	} of[] = {
		{RTE_ETH_LINK_SPEED_200G, 200000}, {RTE_ETH_LINK_SPEED_100G, 100000},
		{RTE_ETH_LINK_SPEED_56G, 56000},   {RTE_ETH_LINK_SPEED_50G, 50000},
		{RTE_ETH_LINK_SPEED_40G, 40000},   {RTE_ETH_LINK_SPEED_25G, 25000},
		{RTE_ETH_LINK_SPEED_20G, 20000},   {RTE_ETH_LINK_SPEED_10G, 10000},
		{RTE_ETH_LINK_SPEED_5G, 5000},     {RTE_ETH_LINK_SPEED_2_5G, 2500},
		{RTE_ETH_LINK_SPEED_1G, 1000},     {RTE_ETH_LINK_SPEED_100M, 100},
		{RTE_ETH_LINK_SPEED_10M, 10},
	};
	for (size_t i = 0; i < RTE_DIM(of); i++)
		if (speeds & of[i].bit)
			return of[i].mbps * 1000000ULL;
	return 0;
}

static int check_buffers(const struct port *port, const struct nic_policy *policy, uint16_t mtu)
{
	uint32_t room = rte_pktmbuf_data_room_size(ports_pool()) - RTE_PKTMBUF_HEADROOM;
	uint32_t frame = mtu + POOL_FRAME_OVERHEAD + policy->header_bytes;
	return frame <= room
			   ? 0
			   : fail(-EMSGSIZE,
					  "port %s: packets of %u bytes need buffers of %u and those there are hold "
					  "%u; start with larger ones (buffers { default data-size %u } in "
					  "startup.conf)",
					  port->config.name, mtu, frame, room, (frame + 255) / 256 * 256);
}

/* Drivers refuse while they run, for some the whole time that they are configured so. */
static int set_stopped(struct port *port, const struct nic_policy *policy, uint16_t mtu)
{
	uint16_t id = ethdev_id(port);
	bool runs = port->started && !port->stopped;
	if (!runs || !policy->restarts)
		return rte_eth_dev_set_mtu(id, mtu);
	int error = port->kind->set_running(port, false);
	if (error)
		return error;
	int refused = rte_eth_dev_set_mtu(id, mtu);
	error = port->kind->set_running(port, true);
	return error ? error : refused;
}

int nic_set_mtu(struct port *port, const struct nic_policy *policy, uint16_t mtu)
{
	uint16_t now = 0;
	int error = policy->is_pci ? check_buffers(port, policy, mtu) : 0;
	if (error)
		return error;
	rte_eth_dev_get_mtu(ethdev_id(port), &now);
	if (now == mtu)
		return 0;
	error = set_stopped(port, policy, mtu);
	/* It refuses more than 1500 whatever its ring holds, which is made for the port's MTU. */
	if (error && policy->is_af_packet && !port->started)
		error = link_raise_mtu(port->index, mtu);
	if (!error || error == -ENOTSUP)
		return 0;
	struct rte_eth_dev_info info;
	if (!rte_eth_dev_info_get(ethdev_id(port), &info) && info.max_mtu && mtu > info.max_mtu)
		return fail(error, "port %s: its driver takes no MTU of %u; %u at most", port->config.name,
					mtu, info.max_mtu);
	return fail(error, "port %s: its driver takes no MTU of %u: %s", port->config.name, mtu,
				rte_strerror(-error));
}
