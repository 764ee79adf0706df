/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/vlan.h"
#include "wire/vlan.h"
#include "wirespeed/interfaces.h"

#include <stdlib.h>

uint16_t *vlan_table_place(struct vlan_table *table, const struct ws_subinterface *sub, bool make)
{
	if (!sub->outer)
		return sub->exact ? &table->untagged : &table->unmatched;
	if (!sub->inner)
		return &table->outer[sub->dot1ad][sub->outer];
	uint16_t *inner = table->inner[sub->dot1ad][sub->outer];
	if (!inner && make) {
		inner = calloc(VLAN_IDS, sizeof(*inner));
		__atomic_store_n(&table->inner[sub->dot1ad][sub->outer], inner, __ATOMIC_RELEASE);
	}
	return inner ? &inner[sub->inner] : NULL;
}

void vlan_table_free(struct vlan_table *table)
{
	for (int kind = 0; table && kind < 2; kind++)
		for (int id = 0; id < VLAN_IDS; id++)
			free(table->inner[kind][id]);
	free(table);
}

uint8_t vlan_tags_write(const struct ws_subinterface *sub, uint8_t *tags)
{
	if (!sub->outer || sub->outer == WS_VLAN_ANY)
		return 0;
	vlan_write_tag(tags, sub->dot1ad ? ETHERNET_QINQ : ETHERNET_VLAN, sub->outer);
	if (!sub->inner || sub->inner == WS_VLAN_ANY)
		return VLAN_TAG_LEN;
	vlan_write_tag(tags + VLAN_TAG_LEN, ETHERNET_VLAN, sub->inner);
	return 2 * VLAN_TAG_LEN;
}
