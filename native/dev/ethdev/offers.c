/* SPDX-License-Identifier: Apache-2.0 */
/* A device's offered and enabled offloads, and the fields of its hash. */
#include "dev/ethdev/device.h"
#include "dev/ethdev/ethdev.h"

#include <ctype.h>
#include <errno.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <string.h>

/* DPDK has names for these only in its test program. */
static const struct {
	uint64_t field;
	const char *name;
} hash_fields[] = {
	{RTE_ETH_RSS_IPV4, "ipv4"},
	{RTE_ETH_RSS_FRAG_IPV4, "ipv4-frag"},
	{RTE_ETH_RSS_NONFRAG_IPV4_TCP, "ipv4-tcp"},
	{RTE_ETH_RSS_NONFRAG_IPV4_UDP, "ipv4-udp"},
	{RTE_ETH_RSS_NONFRAG_IPV4_SCTP, "ipv4-sctp"},
	{RTE_ETH_RSS_NONFRAG_IPV4_OTHER, "ipv4-other"},
	{RTE_ETH_RSS_IPV6, "ipv6"},
	{RTE_ETH_RSS_FRAG_IPV6, "ipv6-frag"},
	{RTE_ETH_RSS_NONFRAG_IPV6_TCP, "ipv6-tcp"},
	{RTE_ETH_RSS_NONFRAG_IPV6_UDP, "ipv6-udp"},
	{RTE_ETH_RSS_NONFRAG_IPV6_SCTP, "ipv6-sctp"},
	{RTE_ETH_RSS_NONFRAG_IPV6_OTHER, "ipv6-other"},
	{RTE_ETH_RSS_IPV6_EX, "ipv6-ex"},
	{RTE_ETH_RSS_IPV6_TCP_EX, "ipv6-tcp-ex"},
	{RTE_ETH_RSS_IPV6_UDP_EX, "ipv6-udp-ex"},
	{RTE_ETH_RSS_L2_PAYLOAD, "l2-payload"},
	{RTE_ETH_RSS_PORT, "port"},
	{RTE_ETH_RSS_VXLAN, "vxlan"},
	{RTE_ETH_RSS_GENEVE, "geneve"},
	{RTE_ETH_RSS_NVGRE, "nvgre"},
	{RTE_ETH_RSS_GTPU, "gtpu"},
	{RTE_ETH_RSS_ETH, "eth"},
	{RTE_ETH_RSS_S_VLAN, "s-vlan"},
	{RTE_ETH_RSS_C_VLAN, "c-vlan"},
	{RTE_ETH_RSS_ESP, "esp"},
	{RTE_ETH_RSS_AH, "ah"},
	{RTE_ETH_RSS_L2TPV3, "l2tpv3"},
	{RTE_ETH_RSS_PFCP, "pfcp"},
	{RTE_ETH_RSS_PPPOE, "pppoe"},
	{RTE_ETH_RSS_ECPRI, "ecpri"},
	{RTE_ETH_RSS_MPLS, "mpls"},
	{RTE_ETH_RSS_IPV4_CHKSUM, "ipv4-chksum"},
	{RTE_ETH_RSS_L4_CHKSUM, "l4-chksum"},
	{RTE_ETH_RSS_LEVEL_OUTERMOST, "outermost"},
	{RTE_ETH_RSS_LEVEL_INNERMOST, "innermost"},
};

/* Append `name` in VPP's spelling: VLAN_STRIP as vlan-strip. */
static void append(char *list, const char *name)
{
	size_t at = strlen(list), length = strlen(name);
	if (at + length + 2 > WS_OFFLOADS_LEN)
		return;
	for (size_t i = 0; i < length; i++)
		list[at + i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
	memcpy(list + at + length, " ", sizeof(" "));
}

static void list_offloads(char *list, uint64_t offloads, const char *(*name_of)(uint64_t))
{
	for (int bit = 0; bit < 64; bit++)
		if (offloads & UINT64_C(1) << bit)
			append(list, name_of(UINT64_C(1) << bit));
}

static void list_fields(char *list, uint64_t fields)
{
	for (size_t i = 0; i < RTE_DIM(hash_fields); i++)
		if (fields & hash_fields[i].field)
			append(list, hash_fields[i].name);
}

int ethdev_offers(const struct port *port, struct ws_port_device *out)
{
	const struct ethdev_device *device = ethdev_device_of(port);
	struct rte_eth_burst_mode mode;
	struct rte_eth_dev_info info;
	int error = rte_eth_dev_info_get(device->id, &info);
	if (error)
		return error;
	list_offloads(out->rx_offered, info.rx_offload_capa, rte_eth_dev_rx_offload_name);
	list_offloads(out->rx_active, device->active.rx, rte_eth_dev_rx_offload_name);
	list_offloads(out->tx_offered, info.tx_offload_capa, rte_eth_dev_tx_offload_name);
	list_offloads(out->tx_active, device->active.tx, rte_eth_dev_tx_offload_name);
	list_fields(out->hash_offered, info.flow_type_rss_offloads);
	list_fields(out->hash_active, device->active.rss);
	if (!rte_eth_rx_burst_mode_get(device->id, 0, &mode))
		snprintf(out->rx_burst, sizeof(out->rx_burst), "%.*s", WS_NAME_LEN - 1, mode.info);
	if (!rte_eth_tx_burst_mode_get(device->id, 0, &mode))
		snprintf(out->tx_burst, sizeof(out->tx_burst), "%.*s", WS_NAME_LEN - 1, mode.info);
	out->max_rx_packet = info.max_rx_pktlen;
	out->hash_key_bytes = info.hash_key_size;
	out->reta_size = info.reta_size;
	out->all_multicast = rte_eth_allmulticast_get(device->id) == 1;
	return 0;
}
