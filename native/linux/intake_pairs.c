/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/intake_pairs.h"

#include "dev/error.h"
#include "linux/grow.h"
#include "wirespeed/routes.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_pair_of(const void *pairs, uint32_t at, const void *link)
{
	return ((const struct link_pair *)pairs)[at].link == *(const int32_t *)link;
}

static uint32_t find_pair(struct intake *intake, int32_t link)
{
	return places_find(&intake->pairs_by_link, hash_of_link(link), is_pair_of, intake->pairs,
					   &link);
}

int32_t intake_interface(struct intake *intake, int32_t link)
{
	uint32_t at = find_pair(intake, link);
	return at == PLACE_NONE ? -1 : intake->pairs[at].interface;
}

static void unpair(struct intake *intake, int32_t link)
{
	uint32_t at = find_pair(intake, link), last = intake->pair_count - 1;
	if (at == PLACE_NONE)
		return;
	places_remove(&intake->pairs_by_link, hash_of_link(link), at);
	if (at != last)
		places_move(&intake->pairs_by_link, hash_of_link(intake->pairs[last].link), last, at);
	intake->pairs[at] = intake->pairs[last];
	intake->pair_count--;
}

static int pair(struct intake *intake, int32_t link, int32_t interface)
{
	uint32_t at = find_pair(intake, link);
	if (at == PLACE_NONE) {
		at = intake->pair_count;
		void *pairs = grow(intake->pairs, at, &intake->pair_capacity, sizeof(*intake->pairs));
		if (pairs)
			intake->pairs = pairs;
		if (!pairs || !places_add(&intake->pairs_by_link, hash_of_link(link), at))
			return fail(-ENOMEM, "no memory for more than %u LCP pairs", intake->pair_count);
		intake->pair_count++;
	}
	intake->pairs[at] = (struct link_pair){link, interface};
	return 0;
}

int intake_pair(struct intake *intake, int32_t link, int32_t interface)
{
	if (link <= 0)
		return fail(-EINVAL, "%d is not a link", link);
	int error = 0;
	if (interface < 0)
		unpair(intake, link);
	else
		error = pair(intake, link, interface);
	if (error)
		return error;
	intake->pairs_changed = true;
	intake->wanted |= intake->all;
	return 0;
}

void intake_describe_path(struct intake *intake, const struct linux_path *path, struct ws_path *out)
{
	*out = (struct ws_path){
		.kind = path->gateway.family ? WS_PATH_NEXT_HOP : WS_PATH_ATTACHED,
		.next_hop = path->gateway,
		.interface = intake_interface(intake, path->link),
		.weight = path->weight,
		.label_count = path->label_count,
	};
	memcpy(out->labels, path->labels, sizeof(out->labels));
}

void intake_reject(struct intake *intake)
{
	intake->stats.rejected++;
	snprintf(intake->stats.rejection, sizeof(intake->stats.rejection), "%s", ws_error());
}
