/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/tagged/tagged.h"

#include "generator/observe/flow_wire.h"
#include "wire/ethernet.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { VLAN_IDS = 4096, VLAN_ID = VLAN_IDS - 1, TAG_LEN = 4 };

/* Number of each tag, plus 1; 0: unknown tag. */
struct tag_map {
	uint16_t one[VLAN_IDS];
	uint16_t *two[VLAN_IDS]; /* by the first tag, then by the second */
};

struct tag_map *tag_map_create(const struct ws_tag *tags, uint32_t count)
{
	struct tag_map *map = calloc(1, sizeof(*map));
	for (uint32_t i = 0; map && i < count; i++) {
		uint16_t first = tags[i].first & VLAN_ID, second = tags[i].second & VLAN_ID;
		if (!first)
			continue;
		if (!second) {
			map->one[first] = (uint16_t)(i + 1);
			continue;
		}
		if (!map->two[first])
			map->two[first] = calloc(VLAN_IDS, sizeof(uint16_t));
		if (!map->two[first]) {
			tag_map_free(map);
			return NULL;
		}
		map->two[first][second] = (uint16_t)(i + 1);
	}
	return map;
}

void tag_map_free(struct tag_map *map)
{
	for (uint32_t i = 0; map && i < VLAN_IDS; i++)
		free(map->two[i]);
	free(map);
}

struct tagged *tagged_create(uint32_t groups, uint32_t tags, struct tag_map *map)
{
	struct tagged *tagged = calloc(1, sizeof(*tagged));
	if (!tagged) {
		tag_map_free(map);
		return NULL;
	}
	*tagged =
		(struct tagged){.groups = groups, .row = tags + WS_TAGGED_BESIDE, .users = 1, .map = map};
	tagged->sent = calloc(groups, sizeof(*tagged->sent));
	if (map)
		tagged->counts = calloc((size_t)groups * tagged->row, sizeof(*tagged->counts));
	if (tagged->sent && (!map || tagged->counts))
		return tagged;
	tagged_leave(tagged);
	return NULL;
}

void tagged_leave(struct tagged *tagged)
{
	if (!tagged || --tagged->users)
		return;
	tag_map_free(tagged->map);
	free(tagged->counts);
	free(tagged->sent);
	free(tagged);
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static bool is_tag(uint16_t type)
{
	return type == ETHERNET_VLAN || type == ETHERNET_QINQ;
}

/* Returns the number of VLAN tags in front of the packet, two at most; *tag gets their ids. */
static int read_tags(const struct flow_packet *packet, struct ws_tag *tag)
{
	const uint8_t *at = packet->head + ETHERNET_TYPE_AT;
	if (packet->head_len < ETHERNET_LEN + TAG_LEN || !is_tag(get16(at)))
		return 0;
	tag->first = get16(at + 2) & VLAN_ID;
	at += TAG_LEN;
	if (packet->head_len < ETHERNET_LEN + 2 * TAG_LEN || !is_tag(get16(at)))
		return 1;
	tag->second = get16(at + 2) & VLAN_ID;
	return 2;
}

/* The tag's number plus 1; 0: unknown tag. */
static uint32_t number_of(const struct tag_map *map, struct ws_tag tag, int depth)
{
	if (depth == 1)
		return map->one[tag.first];
	return map->two[tag.first] ? map->two[tag.first][tag.second] : 0;
}

static void keep_unknown(struct tagged *tagged, uint32_t group, struct ws_tag tag)
{
	if (tagged->unknown_count < WS_UNKNOWN_TAGS)
		tagged->unknown[tagged->unknown_count++] =
			(struct ws_unknown_tag){.group = group, .tag = tag};
}

/* T-Rex's rule for a number below the next expected one: a duplicate of the last packet, or out of
 * order. */
static void place(struct flow_order *order, uint32_t number)
{
	if (number >= order->reached) {
		order->dropped += number - order->reached;
		order->seq_too_high += number > order->reached;
		order->reached = (uint64_t)number + 1;
		return;
	}
	order->seq_too_low++;
	if (number == order->reached - 1) {
		order->duplicate++;
		return;
	}
	order->out_of_order++;
	order->dropped -= order->dropped > 0;
}

void tagged_receive(struct tagged *tagged, const struct flow_packet *packet)
{
	uint32_t tail[3];
	memcpy(tail, packet->tail, sizeof(tail));
	flow_end_reading();
	uint32_t group = le32toh(tail[1]), number = le32toh(tail[2]);
	if (le32toh(tail[0]) != TAGGED_MAGIC || packet->head_len < ETHERNET_LEN)
		return;
	struct ws_tag tag = {0};
	int depth = read_tags(packet, &tag);
	uint32_t known = depth ? number_of(tagged->map, tag, depth) : 0;
	if (depth && !known)
		keep_unknown(tagged, group, tag);
	if (group >= tagged->groups)
		return;
	uint32_t unknown_at = tagged->row - WS_TAGGED_BESIDE;
	uint32_t column = known ? known - 1 : unknown_at + !depth;
	struct tagged_count *count = &tagged->counts[(size_t)group * tagged->row + column];
	/* The first packet to a group address shows the VLAN on which its receivers joined. */
	if (packet->head[0] & 1 && !count->order.packets) {
		count->base = number;
		count->order.reached = (uint64_t)number + 1;
	} else if (column != unknown_at) {
		place(&count->order, number);
	}
	count->order.packets++;
	count->bytes += packet->bytes;
}
