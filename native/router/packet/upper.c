/* SPDX-License-Identifier: Apache-2.0 */
#include "router/packet/upper.h"

#include "graph/graph.h"

#include <stdlib.h>

/* Sorted by number, so that edges do not depend on the order of linking. */
static struct layer {
	struct graph_edge_set set;
	const char **nodes; /* the edges */
	uint32_t *numbers;
} layers[UPPER_LAYERS] = {
	[ABOVE_ETHERNET] = {{.name = EDGES_ABOVE_ETHERNET}, NULL, NULL},
	[ABOVE_IP4] = {{.name = EDGES_ABOVE_IP4}, NULL, NULL},
	[ABOVE_IP6] = {{.name = EDGES_ABOVE_IP6}, NULL, NULL},
};

/* Make room for one more entry at that place. */
static void make_room(struct layer *layer, uint16_t place)
{
	uint16_t count = layer->set.count;
	layer->nodes = realloc(layer->nodes, (count + 1u) * sizeof(*layer->nodes));
	layer->numbers = realloc(layer->numbers, (count + 1u) * sizeof(*layer->numbers));
	if (!layer->nodes || !layer->numbers)
		abort();
	uint16_t behind = count - place;
	memmove(layer->nodes + place + 1, layer->nodes + place, behind * sizeof(*layer->nodes));
	memmove(layer->numbers + place + 1, layer->numbers + place, behind * sizeof(*layer->numbers));
	layer->set.edges = layer->nodes;
	layer->set.count++;
}

void upper_register(enum upper_layer layer, uint32_t number, const char *node)
{
	struct layer *of = &layers[layer];
	uint16_t place = 0;
	while (place < of->set.count && of->numbers[place] < number)
		place++;
	if (place == of->set.count || of->numbers[place] != number)
		make_room(of, place);
	else if (strcmp(of->nodes[place], node) <= 0)
		return;
	of->numbers[place] = number;
	of->nodes[place] = node;
}

uint16_t upper_find(enum upper_layer layer, uint32_t number)
{
	for (uint16_t place = 0; place < layers[layer].set.count; place++)
		if (layers[layer].numbers[place] == number)
			return place;
	return UPPER_NONE;
}

__attribute__((constructor)) static void register_sets(void)
{
	for (int layer = 0; layer < UPPER_LAYERS; layer++)
		graph_register_edges(&layers[layer].set);
}
