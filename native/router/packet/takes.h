/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The packets that enter a node, or that a source brings: `takes` of its registration. A node has
 * TAKES_FRAME, TAKES_PACKET or, if it looks at no bytes, both.
 */
enum packet_takes {
	TAKES_FRAME = 1 << 0,    /* the data begins with the Ethernet header */
	TAKES_PACKET = 1 << 1,   /* it begins behind that */
	TAKES_DECIDED = 1 << 2,  /* the adjacency is that of one next hop or of a step before it */
	TAKES_LEAVING = 1 << 3,  /* the tx interface is set */
	TAKES_RECEIVED = 1 << 4, /* the driver of a port has just brought them */
	TAKES_SENT = 1 << 5,     /* the driver of a port is to send them */
	TAKES_DROPPED = 1 << 6,  /* a node has counted them as dropped */
};
