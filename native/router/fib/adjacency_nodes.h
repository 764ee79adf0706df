/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node for packets of each adjacency kind. A node registers its kind at the foot of its file. A
 * kind without a node leads to error-drop.
 */
#pragma once

#include "router/fib/adjacency.h"

/* Position in the packet in front of an adjacency: behind an address, behind a label, or, after
 * labels were pushed or popped, at a labelled packet. */
enum adjacency_place { BEHIND_IP4, BEHIND_IP6, BEHIND_LABEL, BEHIND_LABELLED, ADJACENCY_PLACES };

/* Edge texts that stand for ADJACENCY_KINDS edges each, by kind. */
#define EDGES_BEHIND_IP4 "&behind-ip4"
#define EDGES_BEHIND_IP6 "&behind-ip6"
#define EDGES_BEHIND_LABEL "&behind-label"
#define EDGES_BEHIND_LABELLED "&behind-labelled"

void adjacency_lead(enum adjacency_place place, enum adjacency_kind kind, const char *node);

#define ADJACENCY_NODE(place, kind, node)                                                          \
	__attribute__((constructor)) static void adjacency_node_##place##_##kind(void)                 \
	{                                                                                              \
		adjacency_lead(place, kind, node);                                                         \
	}
