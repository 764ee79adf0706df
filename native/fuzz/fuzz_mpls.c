/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A labelled frame into the router. The first byte of the input gives what is corrected first (1:
 * the Ethernet header, 2: the IPv4 checksum behind the first label, 4: labels with routes); the
 * second is the length of the frame's buffers (0: one buffer); the rest is the frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/mpls.h"
#include "wirespeed/mpls.h"

enum { FIX_ETHERNET = 1, FIX_CHECKSUM = 2, FIX_LABELS = 4, LABELS = 8 };

static void add_label(uint32_t label, bool bottom, int32_t kind, uint8_t label_count)
{
	struct ws_mpls_route route = {
		.label = label,
		.bottom = bottom,
		.payload = label % 2 ? WS_IP6 : WS_IP4,
		.path_count = 1,
		.paths = {{.kind = kind, .next_hop = ADDRESS(10, 0, 1, 2), .interface = 1}},
	};
	route.paths[0].label_count = label_count;
	for (uint8_t i = 0; i < label_count; i++)
		route.paths[0].labels[i] = 100u + i;
	FUZZ_ASSERT(!ws_router_mpls_route_set(rig_router, &route));
}

void router_target_extend(void)
{
	FUZZ_ASSERT(!ws_router_mpls_table_add(rig_router));
	FUZZ_ASSERT(!ws_router_set_mpls(rig_router, 0, true));
	for (int bottom = 0; bottom < 2; bottom++) {
		add_label(16, bottom, WS_PATH_NEXT_HOP, 1);
		add_label(18, bottom, WS_PATH_NEXT_HOP, WS_MAX_LABELS);
		add_label(20, bottom, WS_PATH_LOOKUP, 0);
		add_label(21, bottom, WS_PATH_LOOKUP, 0);
		add_label(22, bottom, WS_PATH_LOCAL, 0);
	}
	add_label(24, true, WS_PATH_NEXT_HOP, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct router_target_input input;
	if (!router_target_take(data, size, &input))
		return 0;
	if (input.frame.length >= ETHERNET_LEN && input.fixes & FIX_ETHERNET)
		ethernet_write(input.frame.bytes, rig_mac[0], rig_host[0], ETHERNET_MPLS);
	for (size_t i = 0; i < LABELS && input.fixes & FIX_LABELS; i++) {
		uint8_t *at = input.frame.bytes + ETHERNET_LEN + i * MPLS_LEN;
		if (at + MPLS_LEN > input.frame.bytes + input.frame.length)
			break;
		uint32_t entry = mpls_load(at);
		mpls_store(at, (entry & 0x1fff) | (16u + (entry >> MPLS_LABEL_SHIFT & 15))
											  << MPLS_LABEL_SHIFT);
		if (mpls_is_bottom(entry))
			break;
	}
	if (input.frame.length >= ETHERNET_LEN + MPLS_LEN + IP4_MAX_LEN && input.fixes & FIX_CHECKSUM)
		ip4_set_checksum((void *)(input.frame.bytes + ETHERNET_LEN + MPLS_LEN));
	router_target_send(input.frame.bytes, input.frame.length, input.piece);
	return 0;
}
