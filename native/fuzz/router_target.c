/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/router_target.h"

#include "fuzz/fuzz.h"
#include "router/neighbor/neighbor_due.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/routes.h"

/* Defined by the leak sanitizer, which does not scan DPDK's memory by itself. */
__attribute__((weak)) void __lsan_register_root_region(const void *start, size_t size);

static void show_to_sanitizer(void)
{
	if (!__lsan_register_root_region)
		return;
	__lsan_register_root_region(rig_router, sizeof(*rig_router));
	__lsan_register_root_region(rig_router->workers[0], sizeof(*rig_router->workers[0]));
}

__attribute__((weak)) void router_target_extend(void)
{
}

static void start(void)
{
	struct ws_route one = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1}},
	};
	struct ws_route two = {
		.prefix = PREFIX(50, 0, 0, 0, 8),
		.path_count = 3,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1},
				  {.next_hop = ADDRESS(10, 0, 0, 9), .interface = -1},
				  {.kind = WS_PATH_DROP}},
	};
	if (rig_start())
		exit(1);
	FUZZ_ASSERT(!ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]));
	FUZZ_ASSERT(!ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 2), rig_host[0]));
	FUZZ_ASSERT(!ws_router_route_add(rig_router, &one, false));
	FUZZ_ASSERT(!ws_router_route_add(rig_router, &two, false));
	for (uint16_t i = 0; i < 2; i++) {
		struct ws_address own = ROUTER_TARGET_IP6(i, 1), host = ROUTER_TARGET_IP6(i, 2);
		FUZZ_ASSERT(!ws_router_address_add(rig_router, i, (struct ws_prefix){own, 64}));
		FUZZ_ASSERT(!ws_router_neighbor_add(rig_router, i, host, rig_host[i]));
	}
	one.prefix = (struct ws_prefix){ROUTER_TARGET_IP6(0x48, 0), 48};
	one.paths[0].next_hop = ROUTER_TARGET_IP6(1, 2);
	two.prefix = (struct ws_prefix){ROUTER_TARGET_IP6(0x4a, 0), 48};
	two.paths[0].next_hop = ROUTER_TARGET_IP6(1, 2);
	two.paths[1].next_hop = ROUTER_TARGET_IP6(0, 9);
	FUZZ_ASSERT(!ws_router_route_add(rig_router, &one, false));
	FUZZ_ASSERT(!ws_router_route_add(rig_router, &two, false));
	FUZZ_ASSERT(!ws_router_set_mtu(rig_router, 1, 576));
	/* Replies must not depend on the number of earlier inputs. */
	rig_router->workers[0]->icmp.ticks_per_token = 0;
	rig_router->tsc_hz = NEIGHBOR_DUE_A_SECOND; /* the lowest that its wheel needs */
	/* Neighbours must not expire. */
	FUZZ_ASSERT(!ws_router_set_reachable_time(rig_router, WS_IP4, 0));
	FUZZ_ASSERT(!ws_router_set_reachable_time(rig_router, WS_IP6, 0));
	show_to_sanitizer();
	atexit(rig_stop);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	start();
	router_target_extend();
	return 0;
}

bool router_target_take(const uint8_t *data, size_t size, struct router_target_input *input)
{
	if (size < 2 || size - 2 > sizeof(input->frame.bytes))
		return false;
	input->fixes = data[0];
	input->piece = data[1] ? data[1] : sizeof(input->frame.bytes);
	input->frame.length = size - 2;
	memcpy(input->frame.bytes, data + 2, size - 2);
	return true;
}

void router_target_send(const uint8_t *bytes, size_t length, size_t piece)
{
	struct ws_router_totals before = rig_totals();
	rig_send_pieces(0, bytes, length, piece);
	struct ws_router_totals after = rig_totals();
	uint64_t sent = 0;
	for (uint16_t i = 0; i < 2; i++)
		for (struct frame frame; (frame = rig_take(i)).length;)
			sent++;
	/* The packet itself, and the main thread's requests to neighbours that it causes. */
	uint64_t taken = after.rx_packets - before.rx_packets;
	FUZZ_ASSERT(taken >= 1);
	FUZZ_ASSERT(after.tx_packets - before.tx_packets == sent);
	FUZZ_ASSERT(sent + after.drops - before.drops + after.punts - before.punts + after.held ==
				taken + after.made - before.made + before.held);
	FUZZ_ASSERT(rig_buffers_in_use() == after.held);
}
