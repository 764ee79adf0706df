/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame into the router's VLAN and layer 2 paths. e0 has sub-interfaces with one and two tags
 * that route, and others that are bridged and cross-connected, all with tag rewrites; e1 and a BVI
 * are in the bridge domain. The first byte of the input gives the tags that are inserted behind the
 * frame's addresses (the low four bits) and its destination (the high bits); the second is the
 * length of the frame's buffers (0: one buffer); the rest is the frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wirespeed/interfaces.h"

static const struct {
	uint8_t length, bytes[8];
} tags[] = {
	{0, {0}},
	{4, {0x81, 0, 0, 100}},
	{8, {0x88, 0xa8, 0, 7, 0x81, 0, 0, 9}},
	{4, {0x81, 0, 0x21, 0x2c}},
	{4, {0x81, 0, 1, 0x90}},
	{8, {0x81, 0, 1, 0xf4, 0x81, 0, 0, 1}},
	{4, {0x81, 0, 0x60, 0}},
	{4, {0x88, 0xa8, 0, 100}},
};

static void add(uint32_t id, uint16_t outer, uint16_t inner, bool dot1ad, bool exact,
				struct ws_tag_rewrite rewrite)
{
	struct ws_subinterface sub = {id, outer, inner, dot1ad, exact};
	int index = ws_router_subinterface_add(rig_router, 0, &sub);
	FUZZ_ASSERT(index > 0);
	FUZZ_ASSERT(!ws_router_set_state(rig_router, (uint16_t)index, true));
	FUZZ_ASSERT(!ws_router_set_tag_rewrite(rig_router, (uint16_t)index, &rewrite));
}

/* Numbers of sub-interfaces, in the order in which they are made. */
enum { ONE_TAG = WS_MAX_PORTS, TWO_TAGS, BRIDGED, CROSSED, LOOSE, BVI };

void router_target_extend(void)
{
	add(1, 100, 0, false, true, (struct ws_tag_rewrite){0});
	add(2, 7, 9, true, true, (struct ws_tag_rewrite){0});
	add(3, 300, 0, false, true, (struct ws_tag_rewrite){.pop = 1});
	add(4, 400, 0, false, true, (struct ws_tag_rewrite){1, 2, true, {401, 402}});
	add(5, 500, 0, false, false, (struct ws_tag_rewrite){.push = 1, .tags = {501}});
	FUZZ_ASSERT(ws_router_loopback_add(rig_router, 0, NULL) == BVI);
	FUZZ_ASSERT(!ws_router_set_state(rig_router, BVI, true));
	FUZZ_ASSERT(!ws_router_set_bridge(rig_router, BRIDGED, 10, false, 0));
	FUZZ_ASSERT(!ws_router_set_bridge(rig_router, 1, 10, false, 0));
	FUZZ_ASSERT(!ws_router_set_bridge(rig_router, BVI, 10, true, 0));
	FUZZ_ASSERT(!ws_router_set_xconnect(rig_router, CROSSED, LOOSE));
	FUZZ_ASSERT(!ws_router_set_xconnect(rig_router, LOOSE, CROSSED));
}

static void set_destination(uint8_t *bytes, uint8_t whom)
{
	static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	if (whom == 1)
		memcpy(bytes, rig_mac[0], sizeof(rig_mac[0]));
	else if (whom == 2)
		memcpy(bytes, all, sizeof(all));
	else if (whom == 3)
		memcpy(bytes, rig_router->interfaces[BVI].mac, sizeof(all));
	else if (whom == 4)
		memcpy(bytes, rig_host[1], sizeof(rig_host[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ADDRESSES = 2 * ETHERNET_ADDRESS_LEN };
	struct frame frame = {0};
	if (size < 2 + ADDRESSES || size - 2 + sizeof(tags[0].bytes) > sizeof(frame.bytes))
		return 0;
	uint8_t which = data[0] % 16 < sizeof(tags) / sizeof(tags[0]) ? data[0] % 16 : 0;
	memcpy(frame.bytes, data + 2, ADDRESSES);
	memcpy(frame.bytes + ADDRESSES, tags[which].bytes, tags[which].length);
	frame.length = size - 2 + tags[which].length;
	memcpy(frame.bytes + ADDRESSES + tags[which].length, data + 2 + ADDRESSES,
		   size - 2 - ADDRESSES);
	set_destination(frame.bytes, data[0] / 16);
	router_target_send(frame.bytes, frame.length, data[1] ? data[1] : sizeof(frame.bytes));
	return 0;
}
