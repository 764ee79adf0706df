/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes of MPLS labels, from the kernel to the router's table. The kernel has one route per label;
 * the router has one for the bottom of the stack and one for the rest: both are set. The protocol
 * behind the last label is that of the next hop's family.
 *
 * Only the generation of each label that was set is stored: the kernel has one route per label, so
 * the newest message is valid. Routes that the user has set for a label stay unchanged.
 */
#include "linux/intake_labels.h"

#include "dev/error.h"
#include "linux/intake_pairs.h"
#include "wirespeed/mpls.h"

#include <errno.h>
#include <stdlib.h>

enum { LABELS = 1 << 20, KNOWN = 0x100 };

static uint16_t generation_of(const struct intake *intake)
{
	return KNOWN | intake->generations[DUMP_LABELS];
}

/* True if the label has a route from another source than Linux. */
static bool is_of_others(const struct intake *intake, uint32_t label, bool bottom)
{
	struct ws_mpls_route there;
	return !ws_router_mpls_route_get(intake->router, label, bottom, &there) &&
		   there.source != WS_SOURCE_LINUX;
}

static void forget(struct intake *intake, uint32_t label)
{
	if (!intake->labels || !intake->labels[label])
		return;
	intake->labels[label] = 0;
	intake->stats.labels--;
	for (int bottom = 0; bottom < 2; bottom++)
		if (!is_of_others(intake, label, bottom))
			ws_router_mpls_route_del(intake->router, label, bottom);
}

/* Paths through paired links to a next hop, whose family determines the protocol behind the label.
 */
static void describe(struct intake *intake, const struct linux_label *told,
					 struct ws_mpls_route *route)
{
	*route = (struct ws_mpls_route){.label = told->label, .source = WS_SOURCE_LINUX};
	for (uint16_t i = 0; i < told->path_count; i++) {
		const struct linux_path *path = &told->paths[i];
		if (!path->gateway.family || path->label_count > WS_MAX_LABELS ||
			intake_interface(intake, path->link) < 0)
			continue;
		intake_describe_path(intake, path, &route->paths[route->path_count++]);
		route->payload = route->payload ? route->payload : path->gateway.family;
	}
}

/* A negative errno, with an error text, if the label is not available to Linux. */
static int check(const struct intake *intake, uint32_t label)
{
	return is_of_others(intake, label, false) || is_of_others(intake, label, true)
			   ? fail(-EEXIST, "label %u has a route that Linux's does not replace", label)
			   : 0;
}

static int prepare(struct intake *intake)
{
	if (!intake->labels)
		intake->labels = calloc(LABELS, sizeof(*intake->labels));
	if (!intake->labels)
		return fail(-ENOMEM, "no memory to read Linux's MPLS routes");
	return ws_router_has_mpls_table(intake->router) ? 0 : ws_router_mpls_table_add(intake->router);
}

static int set(struct intake *intake, struct ws_mpls_route *route)
{
	uint8_t payload = route->payload;
	for (int bottom = 0; bottom < 2; bottom++) {
		route->bottom = bottom;
		route->payload = bottom ? payload : 0;
		int error = ws_router_mpls_route_set(intake->router, route);
		if (error)
			return error;
	}
	return 0;
}

void intake_take_label(struct intake *intake, const struct linux_label *label, bool is_removal)
{
	struct ws_mpls_route route;
	describe(intake, label, &route);
	if (is_removal || !route.path_count) {
		forget(intake, label->label);
		return;
	}
	if (prepare(intake) || check(intake, label->label)) {
		intake_reject(intake);
		return;
	}
	intake->stats.labels += !intake->labels[label->label];
	intake->labels[label->label] = generation_of(intake);
	if (set(intake, &route)) {
		intake_reject(intake);
		forget(intake, label->label);
	}
}

void intake_sweep_labels(struct intake *intake)
{
	for (uint32_t label = 0; intake->stats.labels && label < LABELS; label++)
		if (intake->labels[label] && intake->labels[label] != generation_of(intake))
			forget(intake, label);
}
