/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Millions of routes, in the form of the lines that a user would type. Only the plain forms are
 * parsed here; the command line parses all others and reports errors.
 */
#include "router/interface/interface_names.h"
#include "router/route/route.h"
#include "router/route/sources.h"
#include "wire/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum { MAX_WORDS = 7, CACHED = 64 };

struct word {
	const char *at;
	uint32_t length;
};

struct line {
	struct word words[MAX_WORDS];
	uint32_t count;
};

/* Load balances of recently used next hops, each with a reference while it is stored. */
struct cache {
	struct {
		struct path_key path;
		uint32_t load_balance; /* 0: unused */
		uint8_t family;
	} at[CACHED];
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* False if there are more words than in any plain form. */
static bool split(const char *text, const char *end, struct line *line)
{
	line->count = 0;
	while (true) {
		while (text < end && is_blank(*text))
			text++;
		if (text == end)
			return true;
		if (line->count == MAX_WORDS)
			return false;
		struct word *word = &line->words[line->count++];
		word->at = text;
		while (text < end && !is_blank(*text))
			text++;
		word->length = (uint32_t)(text - word->at);
	}
}

static bool is(const struct word *word, const char *text)
{
	return word->length == strlen(text) && !memcmp(word->at, text, word->length);
}

/* At most three digits, without leading zeros; -1 if it is not a number. */
static int read_number(const char **text, const char *end, int most)
{
	int value = 0, digits = 0;
	const char *start = *text;
	for (; *text < end && **text >= '0' && **text <= '9' && digits < 4; digits++)
		value = value * 10 + *(*text)++ - '0';
	return !digits || digits > 3 || value > most || (digits > 1 && *start == '0') ? -1 : value;
}

static bool read_ip4(const char *text, const char *end, struct ws_address *out)
{
	*out = (struct ws_address){.family = WS_IP4};
	for (int i = 0; i < 4; i++) {
		if (i && (text == end || *text++ != '.'))
			return false;
		int octet = read_number(&text, end, 255);
		if (octet < 0)
			return false;
		out->bytes[i] = (uint8_t)octet;
	}
	return text == end;
}

/* Copy a word into a string; a word with a zero byte is refused, since it would be cut. */
static bool copy_word(const char *text, size_t length, char *out, size_t size)
{
	if (length >= size || memchr(text, 0, length))
		return false;
	memcpy(out, text, length);
	out[length] = 0;
	return true;
}

static bool read_address(const char *text, const char *end, struct ws_address *out)
{
	char copy[ADDRESS_TEXT_LEN];
	size_t length = (size_t)(end - text);
	if (!memchr(text, ':', length))
		return read_ip4(text, end, out);
	if (!copy_word(text, length, copy, sizeof(copy)))
		return false;
	*out = (struct ws_address){.family = WS_IP6};
	return inet_pton(AF_INET6, copy, out->bytes) == 1;
}

static bool read_prefix(const struct word *word, struct ws_prefix *out)
{
	const char *end = word->at + word->length, *slash = memchr(word->at, '/', word->length);
	if (!slash || !read_address(word->at, slash, &out->address))
		return false;
	const char *digits = slash + 1;
	int length = read_number(&digits, end, address_bits(out->address.family));
	if (length < 0 || digits != end)
		return false;
	out->length = (uint8_t)length;
	*out = prefix_network(*out);
	return true;
}

/* Parse the path in `via ADDR [IF]`, from word `at` on. */
static bool read_path(const struct ws_router *router, const struct line *line, uint32_t at,
					  struct ws_path *out)
{
	const struct word *words = line->words + at;
	uint32_t count = line->count - at;
	*out = (struct ws_path){.kind = WS_PATH_NEXT_HOP, .interface = -1};
	if (count < 2 || count > 3 || !is(&words[0], "via") ||
		!read_address(words[1].at, words[1].at + words[1].length, &out->next_hop))
		return false;
	char name[WS_NAME_LEN];
	if (count == 3 && copy_word(words[2].at, words[2].length, name, sizeof(name)))
		out->interface = interface_find(router, name);
	return count == 2 || out->interface >= 0;
}

/* 0 if there is none. */
static uint32_t take_paths(struct ws_router *router, struct cache *cache,
						   const struct ws_path *path, uint8_t family)
{
	union path_list_buffer buffer;
	uint32_t hash = path->next_hop.bytes[3] ^ path->next_hop.bytes[15] ^ (uint32_t)path->interface;
	if (router_check_paths(router, path, 1, WS_SOURCE_STATIC,
						   family == WS_IP4 ? PAYLOAD_IP4 : PAYLOAD_IP6, &buffer))
		return 0;
	struct path_key *key = &buffer.list.paths[0];
	uint32_t slot = hash % CACHED, old = cache->at[slot].load_balance;
	if (old && cache->at[slot].family == family &&
		!memcmp(key, &cache->at[slot].path, sizeof(*key)))
		return old;
	int64_t load_balance = load_balance_take(&router->load_balances, &buffer.list);
	if (load_balance < 0)
		return 0;
	if (old)
		load_balance_release(&router->load_balances, old, 1);
	cache->at[slot].path = *key;
	cache->at[slot].family = family;
	cache->at[slot].load_balance = (uint32_t)load_balance;
	return (uint32_t)load_balance;
}

static bool add_line(struct ws_router *router, struct cache *cache, const struct line *line)
{
	struct ws_prefix prefix;
	struct ws_path path;
	if (!read_prefix(&line->words[3], &prefix) || !read_path(router, line, 4, &path))
		return false;
	uint8_t family = prefix.address.family;
	struct fib_table *table = router->tables[family_index(family)][0];
	int standing = sources_standing(router, table, &prefix);
	if (standing == WS_SOURCE_STATIC || standing == WS_SOURCE_CONNECTED)
		return false;
	uint32_t load_balance = take_paths(router, cache, &path, family);
	return load_balance && !sources_set(router, table, &prefix, load_balance);
}

static bool is_only_path(const struct ws_router *router, const struct fib_table *table,
						 const struct ws_prefix *prefix, const struct ws_path *path)
{
	uint32_t load_balance;
	if (!fib_trie_get(&table->trie, prefix, &load_balance))
		return false;
	const struct path_list *list = router->load_balances.uses[load_balance].list;
	const struct path_key *key = &list->paths[0];
	return list->count == 1 && key->kind == WS_PATH_NEXT_HOP &&
		   address_equal(&key->next_hop, &path->next_hop) &&
		   (path->interface < 0 || key->interface == (uint32_t)path->interface);
}

static bool delete (struct ws_router *router, const struct line *line)
{
	struct ws_prefix prefix;
	struct ws_path path;
	if (!read_prefix(&line->words[3], &prefix))
		return false;
	struct fib_table *table = router->tables[family_index(prefix.address.family)][0];
	if (sources_standing(router, table, &prefix) != WS_SOURCE_STATIC)
		return false;
	if (line->count > 4 &&
		(!read_path(router, line, 4, &path) || !is_only_path(router, table, &prefix, &path)))
		return false;
	return !sources_remove(router, table, &prefix, WS_SOURCE_STATIC);
}

static bool run_line(struct ws_router *router, struct cache *cache, const char *text,
					 const char *end)
{
	struct line line;
	if (!split(text, end, &line) || line.count < 4 || !is(&line.words[0], "ip") ||
		!is(&line.words[1], "route"))
		return false;
	if (is(&line.words[2], "add"))
		return add_line(router, cache, &line);
	return is(&line.words[2], "del") && delete (router, &line);
}

int64_t ws_router_routes_text(struct ws_router *router, const char *text, uint64_t length,
							  uint64_t *lines)
{
	struct cache cache = {0};
	const char *at = text, *end = text + length;
	*lines = 0;
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!run_line(router, &cache, at, line_end ? line_end : end))
			break;
		at = line_end ? line_end + 1 : end;
		++*lines;
	}
	for (int i = 0; i < CACHED; i++)
		if (cache.at[i].load_balance)
			load_balance_release(&router->load_balances, cache.at[i].load_balance, 1);
	return at - text;
}
