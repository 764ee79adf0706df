/* SPDX-License-Identifier: Apache-2.0 */
/* VLAN tags (IEEE 802.1Q): a type and 16 bits of priority and VLAN id, between addresses and type.
 */
#pragma once

#include "wire/ethernet.h"

enum { VLAN_ID_MASK = 0xfff, VLAN_MAX_TAGS = 2 };

static inline bool vlan_is_type(uint16_t type)
{
	return type == ETHERNET_VLAN || type == ETHERNET_QINQ;
}

static inline uint16_t vlan_load16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline void vlan_write_tag(uint8_t *tag, uint16_t type, uint16_t id)
{
	tag[0] = (uint8_t)(type >> 8);
	tag[1] = (uint8_t)type;
	tag[2] = (uint8_t)(id >> 8);
	tag[3] = (uint8_t)id;
}

/* Start of the payload behind the Ethernet header and any number of tags, and its Ethernet type; 0
 * if the frame is too short. */
static inline size_t frame_payload(const uint8_t *bytes, size_t length, uint16_t *type)
{
	size_t at = ETHERNET_LEN - 2;
	while (length >= at + 2) {
		*type = vlan_load16(bytes + at);
		if (!vlan_is_type(*type))
			return at + 2;
		at += VLAN_TAG_LEN;
	}
	return 0;
}

/* The first two tags of a frame. */
struct vlan_tags {
	uint8_t count; /* 3: more than two */
	bool dot1ad;   /* the first tag is 802.1ad */
	uint16_t ids[VLAN_MAX_TAGS];
};

/* False if the frame ends within a tag. */
static inline bool vlan_parse(const uint8_t *bytes, size_t length, struct vlan_tags *tags)
{
	size_t at = ETHERNET_LEN - 2;
	*tags = (struct vlan_tags){.dot1ad = vlan_load16(bytes + at) == ETHERNET_QINQ};
	while (vlan_is_type(vlan_load16(bytes + at))) {
		if (tags->count == VLAN_MAX_TAGS) {
			tags->count++;
			break;
		}
		if (length < at + VLAN_TAG_LEN + 2)
			return false;
		tags->ids[tags->count++] = vlan_load16(bytes + at + 2) & VLAN_ID_MASK;
		at += VLAN_TAG_LEN;
	}
	return true;
}

/* Pop tags from the front and push others: lengths in bytes. */
struct vlan_rewrite {
	uint8_t pop, push;
	uint8_t tags[VLAN_MAX_TAGS * VLAN_TAG_LEN];
};

/* True if the frame has all the tags to pop. */
static inline bool vlan_rewrite_fits(const struct vlan_rewrite *rewrite, const uint8_t *bytes,
									 size_t length)
{
	if (length < (size_t)ETHERNET_LEN + rewrite->pop)
		return false;
	for (size_t at = ETHERNET_LEN - 2; at < (size_t)ETHERNET_LEN - 2 + rewrite->pop;
		 at += VLAN_TAG_LEN)
		if (!vlan_is_type(vlan_load16(bytes + at)))
			return false;
	return true;
}

/*
 * Rewrite a frame that fits; there must be `push` - `pop` bytes of room in front of it. Returns its
 * new start. A tag that replaces another keeps its priority.
 */
static inline uint8_t *vlan_rewrite_apply(const struct vlan_rewrite *rewrite, uint8_t *bytes)
{
	uint8_t priority = rewrite->pop ? bytes[ETHERNET_LEN] & 0xf0 : 0;
	uint8_t *start = bytes + rewrite->pop - rewrite->push;
	memmove(start, bytes, 2 * ETHERNET_ADDRESS_LEN);
	memcpy(start + 2 * ETHERNET_ADDRESS_LEN, rewrite->tags, rewrite->push);
	if (rewrite->push)
		start[ETHERNET_LEN] |= priority;
	return start;
}
