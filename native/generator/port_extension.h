/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a feature folder can add to a port: streams that fill their own packets, and a function that
 * inspects all received packets. Each of the port's workers has an extension of its own; all are of
 * one kind.
 */
#pragma once

#include "generator/port.h"
#include "generator/program/program.h"

struct rte_mbuf;
struct ws_flow;

/* Source of a stream's packets, in place of a field program. */
struct packet_source {
	/* Write the next `n` (at most PROGRAM_BATCH) packets over copies of the template, or over
	 * packets that were sent. More may be written than are sent. */
	void (*fill)(struct packet_source *source, uint8_t *const *packets, uint16_t n);
	/* The driver gets these packets next; those that it refuses are passed again. */
	void (*stamp)(struct packet_source *source, struct rte_mbuf *const *packets, uint16_t n);
	/* Number of packets that can be written now; the others of a burst wait. NULL: any number. */
	uint32_t (*available)(const struct packet_source *source);
	void (*free)(struct packet_source *source); /* called on the main thread */
	struct ws_flow *sent;                       /* counters of sent packets */
};

struct port_extension {
	/* Make the source of a WS_FLOW_SET stream. NULL: *error is a negative errno, with an error
	 * text. Main thread. */
	struct packet_source *(*source)(struct port_extension *extension,
									const struct ws_stream *stream, struct stream_part part,
									const uint8_t *frame, uint16_t frame_len, int *error);
	void (*receive)(struct port_extension *extension, struct rte_mbuf *const *packets, uint16_t n,
					uint64_t now);
	void (*leave)(struct port_extension *extension); /* the port is closed; main thread */
};
