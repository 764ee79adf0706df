/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sub-interface of a port for a frame, by its VLAN tags; sub-interfaces for any id are at
 * WS_VLAN_ANY. Workers read, and the main thread writes single words; an inner table lives as long
 * as the whole.
 */
#pragma once

#include "wire/ethernet.h"

struct ws_subinterface;

enum { VLAN_IDS = 4096, VLAN_NONE = 0 };

/* Numbers of interfaces; VLAN_NONE, which is a port's, means none. [1]: 802.1ad. */
struct vlan_table {
	uint16_t outer[2][VLAN_IDS];
	uint16_t *inner[2][VLAN_IDS]; /* by the second tag; NULL if no sub-interface uses one */
	uint16_t untagged, unmatched; /* target of untagged frames; of frames without another target */
	uint32_t count;
};

/* The place of the sub-interface in the table; `make`: missing inner tables are made. NULL if there
 * is none, or memory is short. */
uint16_t *vlan_table_place(struct vlan_table *table, const struct ws_subinterface *sub, bool make);
void vlan_table_free(struct vlan_table *table);

/* Write the tags of all frames of the sub-interface; returns their length. */
uint8_t vlan_tags_write(const struct ws_subinterface *sub, uint8_t *tags);
