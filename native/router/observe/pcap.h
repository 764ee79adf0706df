/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of received, sent or dropped packets of all workers into a pcap file. A worker copies
 * packets into a ring; the main thread writes them. If there is no room for a copy, it is counted,
 * and the packet itself is not affected. This code runs only during a capture.
 */
#pragma once

#include "graph/graph.h"

#include <stdbool.h>

struct pcap;

/* True if the offset of the Ethernet header in dropped packets is needed. */
bool pcap_wants_drops(const struct pcap *pcap);
/* Capture packets that enter a node; sources call it for received packets. */
void pcap_see(struct pcap *pcap, struct graph *graph, const struct graph_node *node, void **packets,
			  uint16_t n);
