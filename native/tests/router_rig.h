/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real router on ring ports, walked by the calling thread. Interface e0 (02:00:00:00:00:00,
 * 10.0.0.1/24) and e1 (02:00:00:00:00:01, 10.0.1.1/24) are up. The test has the other end of each:
 * it puts packets in, walks the graph, and takes frames out. Packets are in heap blocks like those
 * of heap_packet.h.
 */
#pragma once

#include "router/router.h"
#include "wire/address.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/nodes.h"

#include <stddef.h>
#include <stdint.h>

enum { RIG_HEADROOM = 128, RIG_MAX_FRAME = 2048 };

struct frame {
	size_t length; /* 0: there was none */
	uint8_t bytes[RIG_MAX_FRAME];
};

extern struct ws_router *rig_router;
extern const uint8_t rig_mac[2][6];  /* of e0 and e1 */
extern const uint8_t rig_host[2][6]; /* of the hosts 10.0.0.2 and 10.0.1.2, unknown at first */

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#define ADDRESS(a, b, c, d) address_of_ip4(IP(a, b, c, d))
#define PREFIX(a, b, c, d, length) ((struct ws_prefix){ADDRESS(a, b, c, d), length})

/* Once per process; returns 0, or the exit code for the test program. */
int rig_start(void);
/* A new router, as above. */
void rig_reset(void);
void rig_stop(void);

/* Put in a packet, in segments of at most `piece` bytes; then walk until no packets are left. */
void rig_send_pieces(uint16_t interface, const uint8_t *bytes, size_t length, size_t piece);
void rig_send(uint16_t interface, const uint8_t *bytes, size_t length);
/* Put in a packet, which waits for the next walk. */
void rig_put(uint16_t interface, const uint8_t *bytes, size_t length);
/* Walk the packets that wait, and those that the main thread made. */
void rig_walk(void);
/* The next frame from the interface. */
struct frame rig_take(uint16_t interface);
/* Number of the pool's buffers in use. */
uint32_t rig_buffers_in_use(void);

/* The named counter of a node, and the sums over all nodes and interfaces. */
uint64_t rig_counter(const char *node, const char *reason);
struct ws_router_totals rig_totals(void);

/* A UDP packet in a frame to e0 from the host 10.0.0.2. Tests overwrite fields and then call
 * frame_finish, which sets lengths and the header checksum. */
struct frame frame_udp(uint32_t source, uint32_t destination, size_t payload);
void frame_finish(struct frame *frame);
