/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/longest.h"

#include "dev/error.h"
#include "dev/link.h"
#include "dev/pool.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RING_FRAME_LEN = 2048, /* default of net_af_packet */
	RING_HEADER_LEN = 66,  /* header of each frame in the ring (TPACKET_V2) */
	PCAP_LONGEST = 65535,  /* any number of buffers can be chained */
};

/* The number behind `key` in the device string; `otherwise` if it has no such key. */
static uint32_t number_of(const struct port *port, const char *key, uint32_t otherwise)
{
	const char *found = strstr(port->config.devargs, key);
	return found ? (uint32_t)strtoul(found + strlen(key), NULL, 10) : otherwise;
}

/* A port on a Linux interface, with `room` bytes for a frame: the kernel allows one VLAN tag more
 * than its MTU. */
static void describe_linux(const struct port *port, uint32_t room, struct ws_port_info *out)
{
	int mtu = link_mtu(port->index);
	uint32_t wire = mtu > 0 ? (uint32_t)mtu + ETHERNET_LEN + VLAN_TAG_LEN : room;
	out->longest_tx = RTE_MIN(out->longest_tx, RTE_MIN(wire, room));
	out->longest_rx = RTE_MIN(wire, room);
}

static uint32_t af_packet_room(const struct port *port)
{
	return number_of(port, ",framesz=", RING_FRAME_LEN) - RING_HEADER_LEN;
}

/* The kernel reserves a part of each buffer. */
static uint32_t af_xdp_room(void)
{
	return rte_pktmbuf_data_room_size(ports_pool()) - RTE_PKTMBUF_HEADROOM - POOL_XDP_HEADROOM;
}

int longest_check(const struct port *port, const struct rte_eth_dev_info *info)
{
	const struct rte_mempool *pool = ports_pool();
	uint32_t buffer = pool->header_size + pool->elt_size + pool->trailer_size;
	uint32_t page = (uint32_t)getpagesize();
	if (strcmp(info->driver_name, "net_af_xdp") || buffer <= page)
		return 0;
	return fail(
		-EMSGSIZE,
		"port %s: its driver takes no MTU of %u: buffers for it have %u bytes, and those of "
		"%s lie within a page of %u",
		port->config.name, port->config.mtu, buffer, info->driver_name, page);
}

void longest_describe(const struct port *port, const struct rte_eth_dev_info *info,
					  struct ws_port_info *out)
{
	if (!strcmp(info->driver_name, "net_af_packet"))
		describe_linux(port, af_packet_room(port), out);
	else if (!strcmp(info->driver_name, "net_pcap"))
		out->longest_rx = PCAP_LONGEST;
	else if (!strcmp(info->driver_name, "net_null"))
		out->longest_rx = number_of(port, ",size=", ETHERNET_FRAME_MIN_LEN);
	else if (!strcmp(info->driver_name, "net_af_xdp"))
		describe_linux(port, af_xdp_room(), out);
}
