/* SPDX-License-Identifier: Apache-2.0 */
/* Tagged packet groups: packets of numbered streams, counted by the VLAN tags they arrive with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

enum {
	WS_TAGS = 65000,      /* tags of a port at most */
	WS_UNKNOWN_TAGS = 10, /* unknown tags that are kept, the first ones */
	WS_TAGGED_BESIDE = 2, /* counts behind those of the tags: unknown tags, no tag */
};

/* VLAN ids as they follow each other on the wire. `second` 0: one tag only; `first` 0: the number
 * has no tag. */
struct ws_tag {
	uint16_t first, second;
};

/* Bytes with FCS. `lost` are the gaps in the sequence that late packets have not filled. */
struct ws_tagged {
	uint64_t packets, bytes, lost, too_high, too_low, out_of_order, duplicate;
};

struct ws_unknown_tag {
	uint32_t group;
	struct ws_tag tag;
};

/* The port sends and, if it `receives`, counts groups 0 to `groups` - 1; all counts are 0. */
int ws_generator_tag(struct ws_generator *generator, uint16_t port, bool receives, uint32_t groups,
					 const struct ws_tag *tags, uint32_t tag_count);
void ws_generator_end_tagging(struct ws_generator *generator, uint16_t port);
/* Replace the tags by as many others; counts stay. */
int ws_generator_retag(struct ws_generator *generator, uint16_t port, const struct ws_tag *tags,
					   uint32_t tag_count);
/* Counts `first` to `first` + `count` - 1 of a group at one instant. */
int ws_generator_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
						uint32_t first, uint32_t count, struct ws_tagged *out);
int ws_generator_clear_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
							  uint32_t first, uint32_t count);
/* Packets and bytes sent of the group since the port was tagged. */
int ws_generator_tagged_sent(struct ws_generator *generator, uint16_t port, uint32_t group,
							 uint64_t *packets, uint64_t *bytes);
/* Returns how many tags, WS_UNKNOWN_TAGS at most, `out` got; `forget`: the list begins anew. */
int ws_generator_unknown_tags(struct ws_generator *generator, uint16_t port, bool forget,
							  struct ws_unknown_tag *out);
