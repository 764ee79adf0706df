/* SPDX-License-Identifier: Apache-2.0 */
/* Tagged packet groups: packets of numbered streams, counted by the VLAN tags with which they
 * arrive. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

enum {
	WS_TAGS = 65000,      /* maximum number of tags per port */
	WS_UNKNOWN_TAGS = 10, /* maximum number of unknown tags kept: the first ones */
	WS_TAGGED_BESIDE = 2, /* additional counts behind those of the tags: unknown tags, no tag */
};

/* VLAN ids in wire order. `second` 0: one tag only; `first` 0: the number has no tag. */
struct ws_tag {
	uint16_t first, second;
};

/* Bytes include the FCS. `lost`: gaps in the sequence that late packets have not filled. */
struct ws_tagged {
	uint64_t packets, bytes, lost, too_high, too_low, out_of_order, duplicate;
};

struct ws_unknown_tag {
	uint32_t group;
	struct ws_tag tag;
};

/* Enable groups 0 to `groups` - 1 on the port for sending and, if it `receives`, for counting; all
 * counts become 0. */
int ws_generator_tag(struct ws_generator *generator, uint16_t port, bool receives, uint32_t groups,
					 const struct ws_tag *tags, uint32_t tag_count);
void ws_generator_end_tagging(struct ws_generator *generator, uint16_t port);
/* Replace the tags by the same number of others; counts are kept. */
int ws_generator_retag(struct ws_generator *generator, uint16_t port, const struct ws_tag *tags,
					   uint32_t tag_count);
/* Counts `first` to `first` + `count` - 1 of a group at one instant. */
int ws_generator_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
						uint32_t first, uint32_t count, struct ws_tagged *out);
int ws_generator_clear_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
							  uint32_t first, uint32_t count);
/* Packets and bytes sent by the group since its port was enabled. */
int ws_generator_tagged_sent(struct ws_generator *generator, uint16_t port, uint32_t group,
							 uint64_t *packets, uint64_t *bytes);
/* Returns the number of tags written to `out`, at most WS_UNKNOWN_TAGS; `forget`: clear the list.
 */
int ws_generator_unknown_tags(struct ws_generator *generator, uint16_t port, bool forget,
							  struct ws_unknown_tag *out);
