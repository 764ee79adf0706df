/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes in the statistics segment. A node has the same slot in successive graphs, by its name, so
 * that its counters continue without a copy. New graphs get slots before a worker walks them;
 * readers see the new nodes once the workers use them.
 */
#include "router/observe/stats_nodes.h"

#include "dev/error.h"
#include "router/observe/stats_directory.h"
#include "router/router.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NO_SLOT = UINT16_MAX };

/* The search starts at `first`: nodes of two graphs are in nearly the same order. */
static uint16_t find_slot(const struct stats_nodes *nodes, uint16_t first, const char *name)
{
	for (uint16_t i = 0; i < GRAPH_MAX_SLOTS; i++) {
		uint16_t slot = (first + i) % GRAPH_MAX_SLOTS;
		if (!strcmp(nodes->slots[slot].name, name))
			return slot;
	}
	return NO_SLOT;
}

/* Take consecutive free counters; returns the first one. */
static int take_counters(struct stats_nodes *nodes, uint16_t count)
{
	uint32_t run = 0;
	for (uint32_t i = 0; i < STATS_MAX_COUNTERS; i++) {
		run = nodes->is_taken[i] ? 0 : run + 1;
		if (run >= count && run) {
			memset(&nodes->is_taken[i + 1 - run], true, count);
			return (int)(i + 1 - run);
		}
	}
	return fail(-ENOSPC, "the counters of the nodes take more than %d places, the maximum",
				STATS_MAX_COUNTERS);
}

static void clear_slot(struct stats_segment *stats, uint16_t slot)
{
	const struct stats_slot *taken = &stats->nodes->slots[slot];
	for (uint16_t i = 0; i < stats->thread_count; i++) {
		struct stats_thread *thread = &stats->memory->threads[i];
		thread->nodes.calls.at[slot] = thread->nodes.vectors.at[slot] = 0;
		thread->nodes.suspends.at[slot] = thread->nodes.clocks.at[slot] = 0;
		thread->nodes.maxima[slot].clocks = thread->nodes.maxima[slot].vectors = 0;
		memset(&thread->counters.at[taken->first_counter], 0,
			   taken->counter_count * sizeof(uint64_t));
	}
}

/* The number of slots suffices for the nodes of two graphs. */
static int take_slot(struct stats_segment *stats, uint16_t first, const struct graph_node *node)
{
	const struct graph_registration *registration = node->registration;
	for (uint16_t i = 0; i < registration->counter_count; i++)
		if (strlen("/err//") + strlen(node->name) + strlen(registration->counters[i].name) >=
			STATS_NAME_LEN)
			return fail(-ENAMETOOLONG, "the name of counter %s of node %s is too long",
						registration->counters[i].name, node->name);
	uint16_t slot = find_slot(stats->nodes, first, "");
	int counter =
		registration->counter_count ? take_counters(stats->nodes, registration->counter_count) : 0;
	if (counter < 0)
		return counter;
	struct stats_slot *taken = &stats->nodes->slots[slot];
	*taken = (struct stats_slot){
		.reasons = registration->counters,
		.first_counter = (uint16_t)counter,
		.counter_count = registration->counter_count,
	};
	snprintf(taken->name, sizeof(taken->name), "%s", node->name);
	clear_slot(stats, slot);
	return slot;
}

int stats_adopt_graph(struct ws_router *router, uint16_t worker, struct graph *graph)
{
	struct stats_segment *stats = &router->stats;
	struct stats_thread *thread = &stats->memory->threads[worker + 1];
	struct graph_place places[GRAPH_MAX_NODES];
	uint16_t next = 0;
	for (uint16_t i = 0; i < graph->node_count; i++) {
		int slot = find_slot(stats->nodes, next, graph->nodes[i]->name);
		if (slot == NO_SLOT)
			slot = take_slot(stats, next, graph->nodes[i]);
		if (slot < 0)
			return slot;
		places[i] = (struct graph_place){(uint16_t)slot, stats->nodes->slots[slot].first_counter};
		next = (uint16_t)slot + 1;
	}
	graph_count_in(graph, &thread->nodes, thread->counters.at, places);
	return 0;
}

/* ---- Entries for readers ---- */

static void grow(struct stats_segment *stats, uint32_t slots, uint32_t counters)
{
	struct stats_memory *memory = stats->memory;
	for (uint32_t i = memory->node_names.length; i < slots; i++)
		memory->node_names.at[i] = stats_address(memory->no_name.at);
	memory->node_names.length = RTE_MAX(memory->node_names.length, slots);
	for (uint16_t i = 0; i < stats->thread_count; i++) {
		struct stats_thread *thread = &memory->threads[i];
		thread->nodes.calls.head = thread->nodes.vectors.head = thread->nodes.suspends.head =
			thread->nodes.clocks.head = memory->node_names.length;
		thread->counters.length = RTE_MAX(thread->counters.length, counters);
	}
}

static void tell_of(struct stats_segment *stats, uint16_t slot, bool with_numbers)
{
	static const char *const numbers[STATS_NODE_LINKS] = {"clocks", "vectors", "calls", "suspends"};
	struct stats_slot *told = &stats->nodes->slots[slot];
	stats_text *text = &stats->memory->node_texts[slot];
	char plain[WS_NAME_LEN];
	stats_plain_name(plain, told->name);
	grow(stats, slot + 1u, (uint32_t)told->first_counter + told->counter_count);
	snprintf(text->at, sizeof(text->at), "%s", told->name);
	text->length = (uint32_t)strlen(text->at) + 1;
	stats->memory->node_names.at[slot] = stats_address(text->at);
	for (int i = 0; with_numbers && i < STATS_NODE_LINKS; i++)
		told->links[i] =
			stats_link_add(stats, STATS_OF_NODES + i, slot, "/nodes/%s/%s", plain, numbers[i]);
	for (uint16_t i = 0; i < told->counter_count; i++)
		stats->nodes->links[told->first_counter + i] =
			stats_link_add(stats, STATS_COUNTERS, (uint32_t)told->first_counter + i, "/err/%s/%s",
						   told->name, told->reasons[i].name);
	told->is_told_of = true;
}

static void release(struct stats_segment *stats, uint16_t slot, bool with_numbers)
{
	struct stats_slot *freed = &stats->nodes->slots[slot];
	for (int i = 0; freed->is_told_of && with_numbers && i < STATS_NODE_LINKS; i++)
		stats_entry_drop(stats, freed->links[i]);
	for (uint16_t i = 0; freed->is_told_of && i < freed->counter_count; i++)
		stats_entry_drop(stats, stats->nodes->links[freed->first_counter + i]);
	if (freed->is_told_of)
		stats->memory->node_names.at[slot] = stats_address(stats->memory->no_name.at);
	memset(&stats->nodes->is_taken[freed->first_counter], false, freed->counter_count);
	*freed = (struct stats_slot){0};
}

void stats_follow_graphs(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	const struct graph *graph = router->workers[0]->graph;
	bool with_numbers = !router->config->stats_without_nodes, is_there[GRAPH_MAX_SLOTS] = {false};
	for (uint16_t i = 0; i < graph->node_count; i++)
		is_there[graph->nodes[i]->slot] = true;
	stats_lock(stats);
	for (uint16_t slot = 0; slot < GRAPH_MAX_SLOTS; slot++)
		if (*stats->nodes->slots[slot].name && !is_there[slot])
			release(stats, slot, with_numbers);
	for (uint16_t slot = 0; slot < GRAPH_MAX_SLOTS; slot++)
		if (is_there[slot] && !stats->nodes->slots[slot].is_told_of)
			tell_of(stats, slot, with_numbers);
	stats_unlock(stats);
}

void stats_forget_graphs(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	for (uint16_t slot = 0; slot < GRAPH_MAX_SLOTS; slot++)
		if (*stats->nodes->slots[slot].name && !stats->nodes->slots[slot].is_told_of)
			release(stats, slot, false);
}
