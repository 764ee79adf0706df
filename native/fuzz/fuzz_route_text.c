/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes as text, in a heap block of exact size, compared with a second parser that splits words.
 * The router must stop at the end of a line. Each line before must be valid for the second parser
 * too, and the routes must then be those of the lines. The line at which it stopped must be of
 * another form or refused. Finally all routes are deleted, and none may be left.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/routes.h"

#include <arpa/inet.h>

enum { WORDS = 8, MOST_LINES = 64, MOST_ROUTES = 16 };

struct reading {
	bool is_add;
	struct ws_prefix prefix;
	bool has_path;
	struct ws_path path;
};

static struct {
	uint32_t count;
	struct ws_route at[MOST_LINES];
} model;
static uint32_t balances_at_rest;

/* The rig's own routes could get in the way. */
void router_target_extend(void)
{
	const struct ws_prefix others[] = {PREFIX(48, 0, 0, 0, 8),
									   PREFIX(50, 0, 0, 0, 8),
									   {ROUTER_TARGET_IP6(0x48, 0), 48},
									   {ROUTER_TARGET_IP6(0x4a, 0), 48}};
	for (size_t i = 0; i < RTE_DIM(others); i++)
		FUZZ_ASSERT(ws_router_route_del_many(rig_router, 0, others[i], WS_SOURCE_STATIC, 1) == 1);
	balances_at_rest = rig_router->load_balances.used;
}

/* ---- The second parser ---- */

static bool read_address(const char *word, struct ws_address *out)
{
	*out = (struct ws_address){.family = strchr(word, ':') ? WS_IP6 : WS_IP4};
	return inet_pton(out->family == WS_IP6 ? AF_INET6 : AF_INET, word, out->bytes) == 1;
}

static bool read_prefix(char *word, struct ws_prefix *out)
{
	char *slash = strchr(word, '/'), canonical[8];
	if (!slash)
		return false;
	*slash++ = 0;
	int length = atoi(slash);
	snprintf(canonical, sizeof(canonical), "%d", length);
	if (strcmp(canonical, slash) || length < 0 || !read_address(word, &out->address) ||
		length > address_bits(out->address.family))
		return false;
	out->length = (uint8_t)length;
	prefix_fill(out, false);
	return true;
}

/* Split the line into words, in place; 0 if it has a byte that does not occur in text. */
static int split(char *line, size_t length, char **words)
{
	int count = 0;
	if (memchr(line, 0, length))
		return 0;
	for (char *word = strtok(line, " \t\r"); word && count < WORDS; word = strtok(NULL, " \t\r"))
		words[count++] = word;
	return count;
}

static bool read_line(const uint8_t *bytes, size_t length, struct reading *out)
{
	char *line = calloc(1, length + 1), *words[WORDS];
	memcpy(line, bytes, length);
	int count = split(line, length, words);
	*out = (struct reading){.path.interface = -1};
	bool is_one = count >= 4 && count <= 7 && !strcmp(words[0], "ip") &&
				  !strcmp(words[1], "route") &&
				  (!strcmp(words[2], "add") || (!strcmp(words[2], "del"))) &&
				  read_prefix(words[3], &out->prefix);
	if (is_one) {
		out->is_add = !strcmp(words[2], "add");
		out->has_path = count > 4;
		if (out->has_path)
			is_one = count > 5 && !strcmp(words[4], "via") &&
					 read_address(words[5], &out->path.next_hop);
		if (is_one && count > 6)
			is_one = (out->path.interface = ws_router_interface_find(rig_router, words[6])) >= 0;
		is_one &= out->has_path || !out->is_add;
	}
	free(line);
	return is_one;
}

/* ---- The router's routes ---- */

static struct ws_route *find(const struct ws_prefix *prefix)
{
	for (uint32_t i = 0; i < model.count; i++)
		if (prefix_equal(&model.at[i].prefix, prefix))
			return &model.at[i];
	return NULL;
}

static bool is_path_of(const struct ws_route *route, const struct reading *line)
{
	struct ws_route there;
	FUZZ_ASSERT(!ws_router_route_get(rig_router, 0, route->prefix, &there));
	return !line->has_path ||
		   (address_equal(&line->path.next_hop, &route->paths[0].next_hop) &&
			(line->path.interface < 0 || line->path.interface == there.paths[0].interface));
}

/* The router has executed the line. */
static void follow(const struct reading *line)
{
	struct ws_route *standing = find(&line->prefix);
	if (line->is_add) {
		FUZZ_ASSERT(!standing && model.count < MOST_LINES);
		model.at[model.count++] =
			(struct ws_route){.prefix = line->prefix, .path_count = 1, .paths = {line->path}};
		return;
	}
	FUZZ_ASSERT(standing &&
				address_equal(&line->path.next_hop, line->has_path ? &standing->paths[0].next_hop
																   : &line->path.next_hop));
	*standing = model.at[--model.count];
}

/* The router must have refused the line. */
static void check_refused(const struct reading *line)
{
	struct ws_route route = {.prefix = line->prefix, .path_count = 1, .paths = {line->path}};
	const struct ws_route *standing = find(&line->prefix);
	if (line->is_add)
		FUZZ_ASSERT(ws_router_route_add(rig_router, &route, false));
	else
		FUZZ_ASSERT(!standing || !is_path_of(standing, line));
}

static uint32_t count_static(uint8_t family)
{
	struct ws_route_entry entries[MOST_LINES + MOST_ROUTES];
	int n = ws_router_route_entries(rig_router, 0, family, NULL, entries, RTE_DIM(entries));
	uint32_t count = 0;
	FUZZ_ASSERT(n >= 0 && n < (int)RTE_DIM(entries));
	for (int i = 0; i < n; i++)
		count += entries[i].source == WS_SOURCE_STATIC;
	return count;
}

static void check_routes(void)
{
	FUZZ_ASSERT(count_static(WS_IP4) + count_static(WS_IP6) == model.count);
	for (uint32_t i = 0; i < model.count; i++) {
		struct ws_route there;
		FUZZ_ASSERT(!ws_router_route_get(rig_router, 0, model.at[i].prefix, &there));
		FUZZ_ASSERT(there.source == WS_SOURCE_STATIC && there.path_count == 1);
		FUZZ_ASSERT(address_equal(&there.paths[0].next_hop, &model.at[i].paths[0].next_hop));
		FUZZ_ASSERT(model.at[i].paths[0].interface < 0 ||
					model.at[i].paths[0].interface == there.paths[0].interface);
	}
	for (uint32_t i = 0; i < model.count; i++)
		FUZZ_ASSERT(
			ws_router_route_del_many(rig_router, 0, model.at[i].prefix, WS_SOURCE_STATIC, 1) == 1);
	FUZZ_ASSERT(rig_router->load_balances.used == balances_at_rest);
}

/* ---- */

static size_t line_length(const uint8_t *text, size_t size)
{
	const uint8_t *end = memchr(text, '\n', size);
	return end ? (size_t)(end - text) : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t lines, seen = 0;
	size_t at = 0, breaks = 0;
	struct reading line;
	for (size_t i = 0; i < size; i++)
		breaks += data[i] == '\n';
	if (!size || breaks >= MOST_LINES)
		return 0;
	char *text = malloc(size);
	memcpy(text, data, size);
	int64_t done = ws_router_routes_text(rig_router, text, size, &lines);
	free(text);
	FUZZ_ASSERT(done >= 0 && (size_t)done <= size);
	model.count = 0;
	for (; at < (size_t)done; seen++) {
		size_t length = line_length(data + at, size - at);
		FUZZ_ASSERT(read_line(data + at, length, &line));
		follow(&line);
		at += length + (at + length < size);
	}
	FUZZ_ASSERT(at == (size_t)done && seen == lines);
	if (at < size && read_line(data + at, line_length(data + at, size - at), &line))
		check_refused(&line);
	check_routes();
	return 0;
}
