/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a folder can add to a port that nothing else knows of: streams that fill their packets
 * themselves, and a look at all that is received. Each of the port's workers has its own; a port
 * has one kind at most.
 */
#pragma once

#include "generator/port.h"
#include "generator/program/program.h"

struct rte_mbuf;
struct ws_flow;

/* Where the packets of a stream come from, in place of a field program. */
struct packet_source {
	/* Write the next `n` (at most PROGRAM_BATCH) packets over copies of the template, or over
	 * packets that were sent. More may be written than are sent. */
	void (*fill)(struct packet_source *source, uint8_t *const *packets, uint16_t n);
	/* These go to the driver now; those that it refuses come again. */
	void (*stamp)(struct packet_source *source, struct rte_mbuf *const *packets, uint16_t n);
	/* How many can be written now; the others of a burst wait. NULL: any number. */
	uint32_t (*available)(const struct packet_source *source);
	void (*free)(struct packet_source *source); /* on the main thread */
	struct ws_flow *sent;                       /* counts what was sent */
};

struct port_extension {
	/* The source of a stream of WS_FLOW_SET; NULL: *error is the code of an error whose line is
	 * told. On the main thread. */
	struct packet_source *(*source)(struct port_extension *extension,
									const struct ws_stream *stream, struct stream_part part,
									const uint8_t *frame, uint16_t frame_len, int *error);
	void (*receive)(struct port_extension *extension, struct rte_mbuf *const *packets, uint16_t n,
					uint64_t now);
	void (*leave)(struct port_extension *extension); /* the port ends; on the main thread */
};
