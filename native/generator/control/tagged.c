/* SPDX-License-Identifier: Apache-2.0 */
/* Tagged packet groups, for the main thread: made here, read and cleared by the workers. */
#include "generator/tagged/tagged.h"

#include "dev/error.h"
#include "dev/numa.h"
#include "generator/control/command.h"

#include <errno.h>
#include <string.h>

struct inquiry {
	struct generator_port *port;
	struct tagged *given;
	struct tag_map *map;
	uint32_t group, first, count;
	struct tagged_count *counts;
	struct ws_flow sent;
	struct ws_unknown_tag unknown[WS_UNKNOWN_TAGS];
	uint32_t unknown_count;
};

/* ---- on the worker */

static void do_swap(void *argument)
{
	struct inquiry *inquiry = argument;
	struct tagged *before = inquiry->port->tagged;
	inquiry->port->tagged = inquiry->given;
	inquiry->given = before;
}

static void do_swap_map(void *argument)
{
	struct inquiry *inquiry = argument;
	struct tag_map *before = inquiry->port->tagged->map;
	inquiry->port->tagged->map = inquiry->map;
	inquiry->map = before;
}

static struct tagged_count *counts_of(const struct inquiry *inquiry)
{
	const struct tagged *tagged = inquiry->port->tagged;
	return &tagged->counts[(size_t)inquiry->group * tagged->row + inquiry->first];
}

static void do_read(void *argument)
{
	const struct inquiry *inquiry = argument;
	memcpy(inquiry->counts, counts_of(inquiry), inquiry->count * sizeof(*inquiry->counts));
}

static void do_clear(void *argument)
{
	const struct inquiry *inquiry = argument;
	memset(counts_of(inquiry), 0, inquiry->count * sizeof(*inquiry->counts));
}

static void do_read_sent(void *argument)
{
	struct inquiry *inquiry = argument;
	inquiry->sent = inquiry->port->tagged->sent[inquiry->group];
}

static void do_read_unknown(void *argument)
{
	struct inquiry *inquiry = argument;
	const struct tagged *tagged = inquiry->port->tagged;
	memcpy(inquiry->unknown, tagged->unknown, sizeof(inquiry->unknown));
	inquiry->unknown_count = tagged->unknown_count;
}

static void do_forget_unknown(void *argument)
{
	do_read_unknown(argument);
	((const struct inquiry *)argument)->port->tagged->unknown_count = 0;
}

/* ---- on the main thread */

static void ask(struct ws_generator *generator, uint16_t port, mailbox_fn *function,
				struct inquiry inquiries[])
{
	const struct served_port *served = &generator->ports[port];
	for (uint16_t i = 0; i < served->count; i++)
		inquiries[i].port = &served->shares[i];
	generator_ask_shares(generator, port, function, inquiries, sizeof(inquiries[0]));
}

static int check(const struct ws_generator *generator, uint16_t port, uint32_t group, bool receives)
{
	int error = command_check_port(generator, port);
	if (error)
		return error;
	const struct tagged *tagged = generator->ports[port].shares[0].tagged;
	if (!tagged || (receives && !tagged->map))
		return fail(-ENOENT, "port %u has no tagged packet groups; enable them first", port);
	if (group >= tagged->groups)
		return fail(-EINVAL, "there is no tagged packet group %u; 0 to %u are possible", group,
					tagged->groups - 1);
	return 0;
}

static int check_range(const struct ws_generator *generator, uint16_t port, uint32_t group,
					   uint32_t first, uint32_t count)
{
	int error = check(generator, port, group, true);
	uint32_t row = error ? 0 : generator->ports[port].shares[0].tagged->row;
	if (!error && (first > row || count > row - first))
		error = fail(-EINVAL, "counts %u to %u do not exist: the group has %u", first,
					 first + count, row);
	return error;
}

static void look_at_packets(struct ws_generator *generator)
{
	generator_set_meters(generator, true);
	generator->meters_on = true;
}

void ws_generator_end_tagging(struct ws_generator *generator, uint16_t port)
{
	struct inquiry inquiries[WS_MAX_WORKERS] = {0};
	if (port >= generator->port_count || !generator->ports[port].shares[0].tagged)
		return;
	ask(generator, port, do_swap, inquiries);
	for (uint16_t i = 0; i < generator->ports[port].count; i++)
		tagged_leave(inquiries[i].given);
	generator->tagged_ports &= ~(1u << port);
}

int ws_generator_tag(struct ws_generator *generator, uint16_t port, bool receives, uint32_t groups,
					 const struct ws_tag *tags, uint32_t tag_count)
{
	struct inquiry inquiries[WS_MAX_WORKERS] = {0};
	int error = command_check_port(generator, port);
	if (!error && (!groups || tag_count > WS_TAGS))
		error =
			fail(-EINVAL, "%u tagged packet groups, %u tags; 1 group or more and %d tags at most",
				 groups, tag_count, WS_TAGS);
	if (error)
		return error;
	ws_generator_end_tagging(generator, port);
	const struct served_port *served = &generator->ports[port];
	bool whole = true;
	for (uint16_t i = 0; whole && i < served->count; i++) {
		numa_for_worker(served->shares[i].worker);
		struct tag_map *map = receives ? tag_map_create(tags, tag_count) : NULL;
		if (map || !receives)
			inquiries[i].given = tagged_create(groups, tag_count, map);
		numa_for_all();
		whole = inquiries[i].given != NULL;
	}
	if (!whole) {
		for (uint16_t i = 0; i < served->count; i++)
			tagged_leave(inquiries[i].given);
		return fail(-ENOMEM, "no memory for %u tagged packet groups of %u tags", groups, tag_count);
	}
	ask(generator, port, do_swap, inquiries);
	generator->tagged_ports |= receives ? 1u << port : 0;
	if (receives)
		look_at_packets(generator);
	return 0;
}

int ws_generator_retag(struct ws_generator *generator, uint16_t port, const struct ws_tag *tags,
					   uint32_t tag_count)
{
	struct inquiry inquiries[WS_MAX_WORKERS] = {0};
	int error = check(generator, port, 0, true);
	if (error)
		return error;
	const struct served_port *served = &generator->ports[port];
	if (tag_count + WS_TAGGED_BESIDE != served->shares[0].tagged->row)
		return fail(-EINVAL, "%u tags are given, %u expected", tag_count,
					served->shares[0].tagged->row - WS_TAGGED_BESIDE);
	bool whole = true;
	for (uint16_t i = 0; i < served->count; i++) {
		inquiries[i].map = tag_map_create(tags, tag_count);
		whole &= inquiries[i].map != NULL;
	}
	if (whole)
		ask(generator, port, do_swap_map, inquiries);
	for (uint16_t i = 0; i < served->count; i++)
		tag_map_free(inquiries[i].map);
	return whole ? 0 : fail(-ENOMEM, "no memory for %u tags", tag_count);
}

/* The sum of all workers' counts of one tag, in T-Rex's terms. */
static struct ws_tagged merge(const struct inquiry inquiries[], uint16_t workers, uint32_t at)
{
	struct flow_order orders[WS_MAX_WORKERS];
	struct ws_tagged told = {0};
	uint64_t base = UINT64_MAX;
	for (uint16_t i = 0; i < workers; i++) {
		const struct tagged_count *count = &inquiries[i].counts[at];
		orders[i] = count->order;
		told.bytes += count->bytes;
		if (count->order.packets && count->base < base)
			base = count->base;
	}
	struct flow_order all = flow_order_merge(orders, workers, base);
	told.packets = all.packets;
	told.lost = all.dropped;
	told.too_high = all.seq_too_high;
	told.too_low = all.seq_too_low;
	told.out_of_order = all.out_of_order;
	told.duplicate = all.duplicate;
	return told;
}

int ws_generator_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
						uint32_t first, uint32_t count, struct ws_tagged *out)
{
	struct inquiry inquiries[WS_MAX_WORKERS] = {0};
	int error = check_range(generator, port, group, first, count);
	if (error)
		return error;
	uint16_t workers = generator->ports[port].count;
	struct tagged_count *seen = calloc((size_t)count * workers + 1, sizeof(*seen));
	if (!seen)
		return fail(-ENOMEM, "no memory to read %u tags", count);
	for (uint16_t i = 0; i < workers; i++)
		inquiries[i] = (struct inquiry){
			.group = group, .first = first, .count = count, .counts = seen + (size_t)i * count};
	ask(generator, port, do_read, inquiries);
	for (uint32_t i = 0; i < count; i++)
		out[i] = merge(inquiries, workers, i);
	free(seen);
	return 0;
}

int ws_generator_clear_tagged(struct ws_generator *generator, uint16_t port, uint32_t group,
							  uint32_t first, uint32_t count)
{
	struct inquiry inquiries[WS_MAX_WORKERS];
	int error = check_range(generator, port, group, first, count);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->ports[port].count; i++)
		inquiries[i] = (struct inquiry){.group = group, .first = first, .count = count};
	ask(generator, port, do_clear, inquiries);
	return 0;
}

int ws_generator_tagged_sent(struct ws_generator *generator, uint16_t port, uint32_t group,
							 uint64_t *packets, uint64_t *bytes)
{
	struct inquiry inquiries[WS_MAX_WORKERS];
	int error = check(generator, port, group, false);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->ports[port].count; i++)
		inquiries[i] = (struct inquiry){.group = group};
	ask(generator, port, do_read_sent, inquiries);
	*packets = *bytes = 0;
	for (uint16_t i = 0; i < generator->ports[port].count; i++) {
		*packets += inquiries[i].sent.tx_packets;
		*bytes += inquiries[i].sent.tx_bytes;
	}
	return 0;
}

int ws_generator_unknown_tags(struct ws_generator *generator, uint16_t port, bool forget,
							  struct ws_unknown_tag *out)
{
	struct inquiry inquiries[WS_MAX_WORKERS] = {0};
	int error = check(generator, port, 0, true);
	int count = 0;
	if (error)
		return error;
	ask(generator, port, forget ? do_forget_unknown : do_read_unknown, inquiries);
	for (uint16_t i = 0; i < generator->ports[port].count; i++)
		for (uint32_t j = 0; j < inquiries[i].unknown_count && count < WS_UNKNOWN_TAGS; j++)
			out[count++] = inquiries[i].unknown[j];
	return count;
}
