/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of received, sent or dropped packets of all workers into a pcap file.
 *
 * A worker copies what it sees and puts the copy into a ring; the main thread writes it. When there
 * is no room for a copy that is counted, and the packet goes its way. Nothing of this runs unless a
 * capture is on.
 */
#pragma once

#include "graph/graph.h"

#include <stdbool.h>

struct pcap;

/* True if the position of the Ethernet header in dropped packets is needed. */
bool pcap_wants_drops(const struct pcap *pcap);
/* The packets that enter a node; sources call it for what they received. */
void pcap_see(struct pcap *pcap, struct graph *graph, const struct graph_node *node, void **packets,
			  uint16_t n);
