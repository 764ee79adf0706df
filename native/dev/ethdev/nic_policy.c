/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/nic_policy.h"

#include "dev/pool.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <string.h>

/* Flow fields of frames with up to two VLAN tags, as IP routers and bridges hash them. */
#define HASHED_ALWAYS (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_SCTP)
/* Requested in addition: packets below labels, tags and tunnels may all be one flow by the fields
 * above. */
#define HASHED_BESIDE (RTE_ETH_RSS_MPLS | RTE_ETH_RSS_VLAN | RTE_ETH_RSS_LEVEL_INNERMOST)

enum { VMXNET3_MOST_FRAME = 2048 };

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
	bool is_vmxnet3 = is_driver(info, "net_vmxnet3");
	bool is_virtio_user = is_driver(info, "net_virtio_user");
	bool is_virtio = is_driver(info, "net_virtio") || is_virtio_user;
	return (struct nic_policy){
		.is_pci = is_pci,
		.keeps_to_mtu = is_pci || is_virtio_user,
		/* vmxnet3 offers the interrupt but never raises it. */
		.tells_of_links = (*info->dev_flags & RTE_ETH_DEV_INTR_LSC) && !is_vmxnet3,
		.filters_groups = is_pci,
		/* Only virtio filters VLANs without a request. */
		.filters_vlans = is_virtio && (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER),
		.lingers = is_virtio,
		/* vmxnet3 offers it, but counts frames longer than the first buffer as RX errors. */
		.scatters = (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) && !is_vmxnet3,
		.most_frame = is_vmxnet3 ? VMXNET3_MOST_FRAME : 0,
		.header_bytes = is_virtio ? POOL_VIRTIO_HEADER_LEN : 0,
		/* `restarts` is false for drivers that close their Linux files and sockets in a stop. */
		.is_af_packet = is_driver(info, "net_af_packet"),
		.restarts = is_pci || is_driver(info, "net_tap"),
		/* All its ports have the same fixed MAC address in every process. */
		.has_no_mac = is_driver(info, "net_vhost"),
		/* em is the only Intel driver whose byte counters include the FCS. */
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

uint32_t nic_frame_bytes(const struct nic_policy *policy, uint16_t mtu)
{
	return mtu + (uint32_t)POOL_FRAME_OVERHEAD + policy->header_bytes;
}

uint16_t nic_most_mtu(const struct nic_policy *policy, const struct rte_eth_dev_info *info)
{
	uint16_t most = info->max_mtu;
	if (!policy->most_frame)
		return most;
	uint16_t whole = policy->most_frame - POOL_FRAME_OVERHEAD;
	return most && most < whole ? most : whole;
}

struct nic_offloads nic_offloads_of(const struct nic_policy *policy,
									const struct rte_eth_dev_info *info,
									const struct nic_wish *wish)
{
	struct nic_offloads offloads = {0};
	/* Drivers take slower paths with these offloads, so only those that are needed are requested.
	 */
	bool scatters = policy->scatters && nic_frame_bytes(policy, wish->mtu) > wish->capacity;
	if (scatters)
		offloads.rx |= RTE_ETH_RX_OFFLOAD_SCATTER;
	if (policy->filters_vlans)
		offloads.rx |= RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	if (scatters || wish->chains)
		offloads.tx |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS & info->tx_offload_capa;
	if (wish->rx_queues > 1)
		offloads.rss = info->flow_type_rss_offloads & (HASHED_ALWAYS | HASHED_BESIDE);
	return offloads;
}

bool nic_hash_less(struct nic_offloads *offloads)
{
	if (!offloads->rss)
		return false;
	offloads->rss &= offloads->rss & HASHED_BESIDE ? HASHED_ALWAYS : 0;
	return true;
}
