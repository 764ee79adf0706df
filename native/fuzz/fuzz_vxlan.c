/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet into VXLAN tunnels, and out of one. Tunnels over both families carry frames, IPv4
 * packets and IPv6 packets without Ethernet header; those with frames are in a bridge domain with
 * e1, so that frames from one tunnel enter another. The first byte of the input gives the outer
 * headers to write in front (low two bits: none, IPv4, IPv6), whether the UDP checksum is corrected
 * (4), and the VNI's last digit (high four bits). The second byte is the length of the packet's
 * buffers (0: one buffer). The third and fourth are added to the UDP length. The rest is the inner
 * packet, or the whole frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "router/vxlan/vxlan.h"
#include "wire/checksum.h"
#include "wirespeed/interfaces.h"

enum { OUTER_NONE, OUTER_IP4, OUTER_IP6, CHECKSUM = 4, FIRST_VNI = 0x1230, KEPT = 4 };

static void add(struct ws_vxlan_tunnel tunnel, bool is_bridged)
{
	static uint32_t instance;
	tunnel.instance = instance++;
	int index = ws_router_vxlan_add(rig_router, &tunnel);
	FUZZ_ASSERT(index > 0);
	FUZZ_ASSERT(!ws_router_set_state(rig_router, (uint16_t)index, true));
	if (is_bridged)
		FUZZ_ASSERT(!ws_router_set_bridge(rig_router, (uint16_t)index, 10, false, 0));
}

void router_target_extend(void)
{
	struct ws_vxlan_tunnel tunnel = {.source = ADDRESS(10, 0, 0, 1),
									 .destination = ADDRESS(10, 0, 0, 2)};
	for (int family = 0; family < 2; family++) {
		for (tunnel.decap = WS_VXLAN_L2; tunnel.decap <= WS_VXLAN_IP6; tunnel.decap++) {
			tunnel.vni = FIRST_VNI + (uint32_t)tunnel.decap;
			add(tunnel, tunnel.decap == WS_VXLAN_L2);
		}
		tunnel.source = ROUTER_TARGET_IP6(0, 1);
		tunnel.destination = ROUTER_TARGET_IP6(0, 2);
	}
	FUZZ_ASSERT(!ws_router_set_bridge(rig_router, 1, 10, false, 0));
}

/* Write the outer headers, with right checksums of IPv4. */
static size_t write_outer(uint8_t *bytes, uint8_t how, uint16_t more, size_t length)
{
	struct ws_address here = ROUTER_TARGET_IP6(0, 1), there = ROUTER_TARGET_IP6(0, 2);
	bool is_ip4 = (how & 3) == OUTER_IP4;
	uint8_t *ip = bytes + ETHERNET_LEN, *udp = ip + (is_ip4 ? IP4_LEN : IP6_LEN);
	uint16_t claimed = (uint16_t)(UDP_LEN + VXLAN_LEN + length);
	ethernet_write(bytes, rig_mac[0], rig_host[0], is_ip4 ? ETHERNET_IP4 : ETHERNET_IP6);
	const struct udp_header header = {.source = htobe16(0xc000),
									  .destination = htobe16(VXLAN_PORT),
									  .length = htobe16((uint16_t)(claimed + more))};
	const struct vxlan_header vxlan = {
		.flags = htobe32(VXLAN_HAS_VNI),
		.vni = htobe32((FIRST_VNI + (uint32_t)(how >> 4)) << VXLAN_VNI_SHIFT)};
	memcpy(udp, &header, sizeof(header));
	memcpy(udp + UDP_LEN, &vxlan, sizeof(vxlan));
	if (is_ip4) {
		struct ip4_header *ip4 = (void *)ip;
		*ip4 = (struct ip4_header){.version_ihl = 0x45,
								   .total_length = htobe16((uint16_t)(IP4_LEN + claimed)),
								   .ttl = 9,
								   .protocol = IP4_UDP,
								   .source = htobe32(IP(10, 0, 0, 2)),
								   .destination = htobe32(IP(10, 0, 0, 1))};
		ip4_set_checksum(ip4);
	} else {
		ip6_write(ip, claimed, IP6_UDP, 9, there.bytes, here.bytes);
	}
	return (size_t)(udp - bytes) + UDP_LEN + VXLAN_LEN;
}

static void set_checksum(uint8_t *bytes, size_t length, bool is_ip4)
{
	uint8_t *addresses = bytes + ETHERNET_LEN + (is_ip4 ? IP4_ADDRESSES_AT : IP6_ADDRESSES_AT);
	size_t at = ETHERNET_LEN + (is_ip4 ? IP4_LEN : IP6_LEN), count = length - at;
	const uint16_t rest[] = {htobe16(IP4_UDP), htobe16((uint16_t)count)};
	uint64_t sum = checksum_add(0, addresses, is_ip4 ? 8 : IP6_ADDRESSES_LEN);
	sum = checksum_add(sum, rest, sizeof(rest));
	uint16_t value = (uint16_t)~checksum_fold(checksum_add(sum, bytes + at, count));
	memcpy(bytes + at + offsetof(struct udp_header, checksum), &value, sizeof(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame frame = {0};
	if (size < KEPT || size - KEPT + VXLAN_MAX_HEADERS > sizeof(frame.bytes))
		return 0;
	size_t outer = 0, length = size - KEPT;
	uint8_t how = data[0];
	if ((how & 3) == OUTER_IP4 || (how & 3) == OUTER_IP6)
		outer = write_outer(frame.bytes, how, (uint16_t)(data[2] << 8 | data[3]), length);
	memcpy(frame.bytes + outer, data + KEPT, length);
	frame.length = outer + length;
	if (outer && how & CHECKSUM)
		set_checksum(frame.bytes, frame.length, (how & 3) == OUTER_IP4);
	router_target_send(frame.bytes, frame.length, data[1] ? data[1] : sizeof(frame.bytes));
	return 0;
}
