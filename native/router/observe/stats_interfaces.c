/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces in the statistics segment: added and removed. */
#include "router/interface/interface_settings.h"
#include "router/observe/stats_directory.h"

#include <stdio.h>
#include <string.h>

#define AT_LEAST(length, least) ((length) = RTE_MAX((length), (uint32_t)(least)))

static void grow(struct stats_segment *stats, uint32_t length)
{
	struct stats_memory *memory = stats->memory;
	for (uint32_t i = RTE_MAX(memory->interface_names.length, STATS_FIRST_INTERFACE); i < length;
		 i++)
		memory->interface_names.at[i - STATS_FIRST_INTERFACE] = stats_address(memory->no_name.at);
	AT_LEAST(memory->interface_names.length, length);
	AT_LEAST(memory->nothing.length, length);
	for (uint16_t i = 0; i < stats->thread_count; i++) {
		struct interface_counts *counts = &memory->threads[i].interfaces;
		AT_LEAST(counts->rx.length, length);
		AT_LEAST(counts->tx.length, length);
		AT_LEAST(counts->drops.length, length);
		AT_LEAST(counts->punts.length, length);
		AT_LEAST(counts->ip4.length, length);
		AT_LEAST(counts->ip6.length, length);
		AT_LEAST(counts->mpls.length, length);
		AT_LEAST(counts->rx_no_buffer.length, length);
		AT_LEAST(counts->rx_missed.length, length);
		AT_LEAST(counts->rx_errors.length, length);
		AT_LEAST(counts->tx_errors.length, length);
	}
}

static void begin_at_zero(struct interface_counts *counts, uint16_t index)
{
	counts->rx.at[index] = counts->tx.at[index] = (struct own_pair){0};
	counts->drops.at[index] = counts->punts.at[index] = 0;
	counts->ip4.at[index] = counts->ip6.at[index] = counts->mpls.at[index] = 0;
	counts->rx_no_buffer.at[index] = counts->rx_missed.at[index] = 0;
	counts->rx_errors.at[index] = counts->tx_errors.at[index] = 0;
}

void stats_begin_interfaces(struct stats_segment *stats)
{
	struct stats_memory *memory = stats->memory;
	stats_text *text = &memory->local0;
	text->length = (uint32_t)snprintf(text->at, sizeof(text->at), "local0") + 1;
	memory->interface_names.local0 = stats_address(text->at);
	grow(stats, STATS_FIRST_INTERFACE);
}

void stats_add_interface(struct ws_router *router, uint16_t index)
{
	static const char *const names[STATS_INTERFACE_LINKS] = {
		"drops",        "punt",     "ip4",        "ip6",          "mpls",         "rx-no-buf",
		"rx-miss",      "rx-error", "tx-error",   "rx",           "rx-unicast",   "rx-multicast",
		"rx-broadcast", "tx",       "tx-unicast", "tx-multicast", "tx-broadcast",
	};
	struct stats_segment *stats = &router->stats;
	if (!stats->memory)
		return;
	stats_text *text = &stats->memory->interface_texts[index];
	char plain[WS_NAME_LEN];
	stats_plain_name(plain, interface_name(router, index));
	stats_lock(stats);
	grow(stats, index + STATS_FIRST_INTERFACE + 1u);
	for (uint16_t i = 0; i < stats->thread_count; i++)
		begin_at_zero(&stats->memory->threads[i].interfaces, index);
	snprintf(text->at, sizeof(text->at), "%s", interface_name(router, index));
	text->length = (uint32_t)strlen(text->at) + 1;
	stats->memory->interface_names.at[index] = stats_address(text->at);
	for (int i = 0; i < STATS_INTERFACE_LINKS; i++)
		stats->links[index][i] =
			stats_link_add(stats, STATS_OF_INTERFACES + i, index + STATS_FIRST_INTERFACE,
						   "/interfaces/%s/%s", plain, names[i]);
	stats_unlock(stats);
}

/* An unused index keeps an empty name: some readers skip null pointers in vectors and would then
 * number the following names wrongly. */
void stats_drop_interface(struct ws_router *router, uint16_t index)
{
	struct stats_segment *stats = &router->stats;
	if (!stats->memory)
		return;
	stats_lock(stats);
	for (int i = 0; i < STATS_INTERFACE_LINKS; i++)
		stats_entry_drop(stats, stats->links[index][i]);
	stats->memory->interface_names.at[index] = stats_address(stats->memory->no_name.at);
	stats_unlock(stats);
}
