/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of rtnetlink, one after the other, into the intake. The calls to the router must be
 * consistent at each step, and after dumps without a route every route must have been deleted.
 */
#include "fuzz/fuzz.h"
#include "linux/intake.h"
#include "wirespeed/mpls.h"
#include "wirespeed/neighbors.h"

enum { MAX_ROUTES = 4096 };

static struct {
	uint32_t table;
	struct ws_prefix prefix;
} routes[MAX_ROUTES];
static uint32_t route_count;

static void note(const struct ws_route_change *change)
{
	const struct ws_route *route = &change->route;
	uint32_t at = 0;
	while (at < route_count && (routes[at].table != route->table ||
								memcmp(&routes[at].prefix, &route->prefix, sizeof(route->prefix))))
		at++;
	if (change->is_removal) {
		FUZZ_ASSERT(at < route_count);
		routes[at] = routes[--route_count];
		return;
	}
	FUZZ_ASSERT(route->path_count >= 1 && route->path_count <= WS_MAX_PATHS);
	for (uint16_t i = 0; i < route->path_count; i++) {
		const struct ws_path *path = &route->paths[i];
		FUZZ_ASSERT(path->label_count <= WS_MAX_LABELS);
		if (path->kind == WS_PATH_NEXT_HOP || path->kind == WS_PATH_ATTACHED)
			FUZZ_ASSERT(path->interface >= 0);
	}
	if (at == route_count && route_count < MAX_ROUTES) {
		routes[at].table = route->table;
		routes[at].prefix = route->prefix;
		route_count++;
	}
}

int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results)
{
	(void)router;
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_ASSERT(changes[i].route.prefix.length <=
					(changes[i].route.prefix.address.family == WS_IP4 ? 32 : 128));
		note(&changes[i]);
		results[i] = 0;
	}
	return 0;
}

/* Labels that have a route, in mpls_route_index's order. */
static bool labels[1 << 20][2];
static uint32_t label_routes;

int ws_router_has_mpls_table(struct ws_router *router)
{
	(void)router;
	return 1;
}

int ws_router_mpls_table_add(struct ws_router *router)
{
	(void)router;
	return -1;
}

int ws_router_mpls_route_set(struct ws_router *router, const struct ws_mpls_route *route)
{
	(void)router;
	FUZZ_ASSERT(route->label < 1 << 20 && route->source == WS_SOURCE_LINUX);
	FUZZ_ASSERT(route->path_count >= 1 && route->path_count <= WS_MAX_PATHS);
	FUZZ_ASSERT(!route->bottom == !route->payload);
	for (uint16_t i = 0; i < route->path_count; i++) {
		FUZZ_ASSERT(route->paths[i].label_count <= WS_MAX_LABELS);
		FUZZ_ASSERT(route->paths[i].kind == WS_PATH_NEXT_HOP && route->paths[i].interface >= 0);
	}
	label_routes += !labels[route->label][route->bottom];
	labels[route->label][route->bottom] = true;
	return route->label < 16 ? -1 : 0;
}

int ws_router_mpls_route_del(struct ws_router *router, uint32_t label, bool bottom)
{
	(void)router;
	label_routes -= labels[label][bottom];
	labels[label][bottom] = false;
	return 0;
}

int ws_router_mpls_route_get(struct ws_router *router, uint32_t label, bool bottom,
							 struct ws_mpls_route *out)
{
	(void)router;
	FUZZ_ASSERT(label < 1 << 20);
	out->source = label % 16 == 15 && !labels[label][bottom] ? WS_SOURCE_STATIC : WS_SOURCE_LINUX;
	return labels[label][bottom] || label % 16 == 15 ? 0 : -1;
}

int ws_router_neighbor_follow(struct ws_router *router, uint16_t interface,
							  const struct ws_neighbor_news *news)
{
	(void)router, (void)interface;
	FUZZ_ASSERT(news->address.family == WS_IP4 || news->address.family == WS_IP6);
	FUZZ_ASSERT(news->kind >= WS_NEIGHBOR_NEWS_HEARD && news->kind <= WS_NEIGHBOR_NEWS_FORGOTTEN);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct intake intake;
	struct linux_message message;
	route_count = 0;
	FUZZ_ASSERT(!intake_init(&intake, NULL));
	for (int32_t link = 1; link < 8; link++)
		intake_pair(&intake, link, link);
	while (size) {
		/* A block for the remaining bytes, so that reads beyond the end are found. */
		uint8_t *bytes = malloc(size);
		memcpy(bytes, data, size);
		size_t step = linux_message_parse(bytes, size, &message);
		FUZZ_ASSERT(step <= size);
		if (step)
			intake_take(&intake, &message, message.sequence % 2);
		free(bytes);
		if (!step)
			break;
		data += step;
		size -= step;
	}
	for (int dump = 0; dump < DUMP_COUNT; dump++) {
		intake_dump_begins(&intake, (enum linux_dump)dump);
		intake_dump_ends(&intake, (enum linux_dump)dump);
	}
	intake_flush(&intake);
	FUZZ_ASSERT(!label_routes && !intake.stats.labels);
	FUZZ_ASSERT(!route_count && !intake.rib.used && !intake.link_count && !intake.address_count);
	intake_close(&intake);
	return 0;
}
