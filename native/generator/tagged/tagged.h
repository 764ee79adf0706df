/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tagged packet groups of one port as one of its workers counts them.
 *
 * Packets of a group end in 16 bytes, little-endian, as T-Rex has them: TAGGED_MAGIC, the group,
 * the packet's number in its group, 0. The receiver counts by group and by the VLAN tags in front
 * of the packet. Nothing here needs DPDK.
 */
#pragma once

#include "generator/receive/flow_meter.h"
#include "generator/receive/flow_order.h"
#include "wirespeed/flows.h"
#include "wirespeed/tagged.h"

#define TAGGED_MAGIC 0xe50b5cc1u

struct tag_map;

struct tagged_count {
	struct flow_order order; /* `reached` is the next number expected */
	uint64_t base;           /* sequence number at which counting began */
	uint64_t bytes;
};

struct tagged {
	uint32_t groups, row; /* `row`: number of counts per group */
	uint32_t users;       /* references: by the port, and by streams that count into `sent` */
	struct tag_map *map;  /* NULL: the port does not receive */
	struct tagged_count
		*counts; /* for each group: a count per tag, then those for unknown tags and for no tag */
	struct ws_flow *sent; /* by group */
	struct ws_unknown_tag unknown[WS_UNKNOWN_TAGS];
	uint32_t unknown_count;
};

/* NULL: out of memory. Takes ownership of `map`, also on failure. */
struct tagged *tagged_create(uint32_t groups, uint32_t tags, struct tag_map *map);
/* Drops one reference; the last one frees it. */
void tagged_leave(struct tagged *tagged);
void tagged_receive(struct tagged *tagged, const struct flow_packet *packet);

/* Each tag may be given only once; NULL: out of memory. */
struct tag_map *tag_map_create(const struct ws_tag *tags, uint32_t count);
void tag_map_free(struct tag_map *map);
