/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_packets.h"

#include "tests/churn_rig.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"
#include "wire/nd.h"
#include "wire/udp.h"
#include "wire/vlan.h"
#include "wire/vxlan.h"

#include <string.h>

static void begin_frame(struct frame *frame, uint64_t *row, uint16_t wire, enum ethernet_type type)
{
	uint8_t host[ETHERNET_ADDRESS_LEN];
	memcpy(host, rig_host[0], sizeof(host));
	host[4] = (uint8_t)wire;
	host[5] = (uint8_t)(2 + churn_draw(row, CHURN_HOSTS));
	ethernet_write(frame->bytes, CHURN_ROUTER_MAC(wire), host, type);
}

static struct frame udp_to(uint64_t *row, uint16_t wire, uint32_t destination, size_t payload)
{
	uint32_t source = IP(10, 0, wire, 2 + churn_draw(row, CHURN_HOSTS));
	struct frame frame = frame_udp(source, destination, payload);
	begin_frame(&frame, row, wire, ETHERNET_IP4);
	frame.bytes[ETHERNET_LEN + IP4_LEN + 1] = (uint8_t)churn_draw(row, 64); /* its source port */
	return frame;
}

/* To a constant route, to one that is added and deleted, and to known and unknown hosts. */
static struct frame udp(uint64_t *row, uint16_t wire)
{
	const uint32_t destinations[] = {
		IP(48, 0, 0, churn_draw(row, 256)),
		IP(49, 0, churn_draw(row, 64), 1),
		IP(10, 0, churn_draw(row, CHURN_WIRES + 1), 2 + churn_draw(row, CHURN_HOSTS)),
		IP(10, CHURN_FIRST_VLAN + churn_draw(row, CHURN_VLANS), 0, 2),
		IP(50, 0, 0, churn_draw(row, 4)),
	};
	const size_t payloads[] = {18, 18, 200, 1400};
	uint32_t to = destinations[churn_draw(row, RTE_DIM(destinations))];
	struct frame frame = udp_to(row, wire, to, payloads[churn_draw(row, RTE_DIM(payloads))]);
	struct ip4_header *ip = (void *)(frame.bytes + ETHERNET_LEN);
	if (!churn_draw(row, 16))
		ip->ttl = 1;
	frame_finish(&frame);
	return frame;
}

static struct frame ping(uint64_t *row, uint16_t wire)
{
	struct frame frame = udp_to(row, wire, IP(10, 0, wire, 1), 24);
	struct ip4_header *ip = (void *)(frame.bytes + ETHERNET_LEN);
	uint8_t *icmp = (uint8_t *)(ip + 1);
	ip->protocol = IP4_ICMP;
	memset(icmp, 0, 32);
	icmp[0] = 8;
	icmp[2] = 0xf7; /* the checksum of an echo request of zeroes */
	icmp[3] = 0xff;
	frame_finish(&frame);
	return frame;
}

static struct frame arp(uint64_t *row, uint16_t wire)
{
	struct frame frame = {.length = ETHERNET_FRAME_MIN_LEN};
	begin_frame(&frame, row, wire, ETHERNET_ARP);
	const uint8_t *host = frame.bytes + ETHERNET_ADDRESS_LEN;
	struct arp request = {
		.operation = ARP_REQUEST,
		.sender = IP(10, 0, wire, host[5]),
		.target = IP(10, 0, wire, 1),
	};
	memcpy(request.sender_mac, host, ETHERNET_ADDRESS_LEN);
	memset(frame.bytes, 0xff, ETHERNET_ADDRESS_LEN);
	arp_write(frame.bytes + ETHERNET_LEN, &request);
	return frame;
}

static struct frame udp6(uint64_t *row, uint16_t wire)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + UDP_LEN + 12};
	struct ip6_header *ip = (void *)(frame.bytes + ETHERNET_LEN);
	struct ws_address source = CHURN_IP6(wire, 2 + churn_draw(row, CHURN_HOSTS));
	struct ws_address to = churn_draw(row, 2) ? CHURN_IP6(churn_draw(row, CHURN_WIRES),
														  2 + churn_draw(row, CHURN_HOSTS))
											  : CHURN_IP6(0x49 + churn_draw(row, 4), 1);
	begin_frame(&frame, row, wire, ETHERNET_IP6);
	*ip = (struct ip6_header){
		.version_class_flow = htobe32(6u << 28),
		.payload_length = htobe16(UDP_LEN + 12),
		.next_header = IP6_UDP,
		.hop_limit = churn_draw(row, 16) ? 64 : 1,
	};
	memcpy(ip->source, source.bytes, sizeof(ip->source));
	memcpy(ip->destination, to.bytes, sizeof(ip->destination));
	return frame;
}

/* A solicitation or advertisement for an address of the router; some are probes of duplicate
 * address detection. */
static struct frame discovery(uint64_t *row, uint16_t wire)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN};
	const struct ws_address targets[] = {CHURN_IP6(wire, 1), CHURN_IP6(CHURN_FURTHER, 1)};
	static const uint8_t none[IP6_ADDRESS_LEN], all[IP6_ADDRESS_LEN] = {0xff, 2, [15] = 1};
	uint8_t group[IP6_ADDRESS_LEN];
	struct nd_message message = {.has_mac = true};
	bool asks = churn_draw(row, 4), is_nobody = asks && !churn_draw(row, 4);
	uint16_t length = is_nobody ? ND_NEIGHBOR_LEN : ND_NEIGHBOR_MESSAGE_LEN;
	uint8_t *ip = frame.bytes + ETHERNET_LEN;
	begin_frame(&frame, row, wire, ETHERNET_IP6);
	const struct ws_address host = CHURN_IP6(wire, frame.bytes[2 * ETHERNET_ADDRESS_LEN - 1]);
	message.type = asks ? ICMP6_NEIGHBOR_SOLICITATION : ICMP6_NEIGHBOR_ADVERTISEMENT;
	message.is_override = !asks;
	memcpy(message.target, targets[churn_draw(row, 2)].bytes, sizeof(message.target));
	memcpy(message.mac, frame.bytes + ETHERNET_ADDRESS_LEN, sizeof(message.mac));
	ip6_solicited_node(group, message.target);
	memcpy(group, asks ? group : all, sizeof(group));
	ip6_multicast_mac(frame.bytes, group);
	ip6_write(ip, length, IP6_ICMP, ND_HOP_LIMIT, is_nobody ? none : host.bytes, group);
	nd_write(ip + IP6_LEN, &message);
	frame.length = ETHERNET_LEN + IP6_LEN + length;
	icmp6_set_checksum(ip);
	return frame;
}

/* Insert `length` bytes behind the Ethernet addresses. */
static struct frame with_tag(struct frame frame, const uint8_t *tag, size_t length)
{
	memmove(frame.bytes + ETHERNET_TYPE_AT + length, frame.bytes + ETHERNET_TYPE_AT,
			frame.length - ETHERNET_TYPE_AT);
	memcpy(frame.bytes + ETHERNET_TYPE_AT, tag, length);
	frame.length += length;
	return frame;
}

/* Some frames are to all stations. */
static struct frame tagged(uint64_t *row, uint16_t wire)
{
	const uint8_t tag[] = {0x81, 0, 0, (uint8_t)(CHURN_FIRST_VLAN + churn_draw(row, CHURN_VLANS))};
	struct frame frame = churn_draw(row, 8) ? udp(row, wire) : arp(row, wire);
	if (frame.length + sizeof(tag) > ETHERNET_MAX_LEN + 1500)
		return frame;
	return with_tag(frame, tag, sizeof(tag));
}

static struct frame labelled(uint64_t *row, uint16_t wire)
{
	uint8_t label[2 + MPLS_LEN] = {ETHERNET_MPLS >> 8, ETHERNET_MPLS & 0xff};
	struct frame frame = udp_to(row, wire, IP(48, 0, 0, 1), 18);
	mpls_store(label + 2, (CHURN_FIRST_LABEL + churn_draw(row, CHURN_LABELS)) << MPLS_LABEL_SHIFT |
							  MPLS_BOTTOM | 64);
	frame = with_tag(frame, label, sizeof(label));
	/* The label stack takes the place of the Ethernet type. */
	memmove(frame.bytes + ETHERNET_LEN + MPLS_LEN, frame.bytes + ETHERNET_LEN + MPLS_LEN + 2,
			frame.length - ETHERNET_LEN - MPLS_LEN - 2);
	frame.length -= 2;
	return frame;
}

static struct frame tunnelled(uint64_t *row, uint16_t wire)
{
	struct frame inner = udp(row, wire);
	size_t length = RTE_MIN(inner.length, (size_t)1300);
	struct frame frame = frame_udp(IP(10, 0, wire, 2), IP(10, 0, wire, 1), VXLAN_LEN + length);
	uint8_t *at = frame.bytes + ETHERNET_LEN + IP4_LEN;
	const uint16_t port = htobe16(VXLAN_PORT);
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI),
									   htobe32(CHURN_VNI << VXLAN_VNI_SHIFT)};
	begin_frame(&frame, row, wire, ETHERNET_IP4);
	memcpy(at + offsetof(struct udp_header, destination), &port, sizeof(port));
	memcpy(at + UDP_LEN, &vxlan, sizeof(vxlan));
	memcpy(at + UDP_LEN + VXLAN_LEN, inner.bytes, length);
	return frame;
}

struct frame churn_packet(uint64_t *row, uint16_t wire)
{
	static struct frame (*const kinds[])(uint64_t *, uint16_t) = {
		udp, udp, udp, udp, udp6, udp6, ping, arp, discovery, tagged, tagged, labelled, tunnelled,
	};
	return kinds[churn_draw(row, RTE_DIM(kinds))](row, wire);
}
