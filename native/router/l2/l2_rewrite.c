/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of VLAN tag rewrites. */
#include "dev/error.h"
#include "router/interface/interface_settings.h"
#include "router/interface/vlan.h"
#include "router/l2/l2.h"

#include <errno.h>
#include <string.h>

static void put_tag(struct vlan_rewrite *rewrite, uint16_t type, uint16_t id)
{
	vlan_write_tag(rewrite->tags + rewrite->push, type, id);
	rewrite->push += VLAN_TAG_LEN;
}

int ws_router_set_tag_rewrite(struct ws_router *router, uint16_t index,
							  const struct ws_tag_rewrite *wanted)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct interface *interface = &router->interfaces[index];
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	struct vlan_rewrite in = {.pop = (uint8_t)(wanted->pop * VLAN_TAG_LEN)};
	struct vlan_rewrite out = {.pop = (uint8_t)(wanted->push * VLAN_TAG_LEN)};
	if (wanted->pop > VLAN_MAX_TAGS || wanted->push > VLAN_MAX_TAGS)
		return fail(-EINVAL, "too many tags to pop or push; give at most %d", VLAN_MAX_TAGS);
	/* Tags popped on input are pushed on output, so they must be known. */
	if (in.pop > interface->tag_len)
		return fail(-EINVAL, "%s has %u tags of its own, so %u cannot be taken off its frames",
					interface_name(router, index), interface->tag_len / VLAN_TAG_LEN, wanted->pop);
	for (uint8_t i = 0; i < wanted->push; i++) {
		if (wanted->tags[i] < 1 || wanted->tags[i] >= VLAN_ID_MASK)
			return fail(-EINVAL, "a VLAN id is 1 to %d, not %u", VLAN_ID_MASK - 1, wanted->tags[i]);
		put_tag(&in, wanted->dot1ad && !i ? ETHERNET_QINQ : ETHERNET_VLAN, wanted->tags[i]);
	}
	memcpy(out.tags, interface->tags, in.pop);
	out.push = in.pop;
	/* Changed in a pause, since a rewrite is more than a word. */
	router_pause(router);
	l2->in = in;
	l2->out = out;
	l2_update_plain(router, index);
	router->settings[index].tag_rewrite = *wanted;
	router_resume(router);
	return 0;
}
