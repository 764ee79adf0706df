/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Kinds of packets that enter a node, or that a source brings: `takes` of its registration. A node
 * has TAKES_FRAME, TAKES_PACKET or, if it reads no bytes, both.
 */
enum packet_takes {
	TAKES_FRAME = 1 << 0,    /* the data begins with the Ethernet header */
	TAKES_PACKET = 1 << 1,   /* the data begins behind the Ethernet header */
	TAKES_DECIDED = 1 << 2,  /* the adjacency is a next hop, or an adjacency in front of one */
	TAKES_LEAVING = 1 << 3,  /* the tx interface is set */
	TAKES_RECEIVED = 1 << 4, /* just received by the driver of a port */
	TAKES_SENT = 1 << 5,     /* to be sent by the driver of a port */
	TAKES_DROPPED = 1 << 6,  /* counted as dropped by a node */
};
