/* SPDX-License-Identifier: Apache-2.0 */
/* Flow statistics and latency. */
#pragma once

#include "wirespeed/streams.h"

#include <stdint.h>

struct ws_generator;

/*
 * Flow statistics. Received packets are inspected from the start of a profile with a flow_kind in
 * some stream until a later start without one; otherwise they are only counted per port. Counters
 * add up over starts until they are reset.
 */
enum {
	WS_FLOWS = 1023,        /* hardware ids of WS_FLOW_STATS */
	WS_LATENCY_FLOWS = 128, /* number of WS_FLOW_LATENCY flows */
	WS_LATENCY_BINS = 64,   /* bins: below 1 us, then 1 … 9 times 1, 10 … 1 000 000 us */
	WS_HDR_COUNTS = 3584,   /* counts of an HDR histogram of 1 to 10^10 ns with 2 digits */
};

/* Bytes include the FCS. The order of rx_packets is checked for streams with flow_signature:
 * duplicates (RFC 5560), late packets (reordered, RFC 4737), and packets too old to distinguish the
 * two. */
struct ws_flow {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t rx_duplicates, rx_reordered, rx_unplaced;
};

/* 0 if packets of the stream can be counted as its flow_kind requests; otherwise -EINVAL with an
 * error text, as from ws_generator_start. */
int ws_stream_check_flow(const struct ws_stream *stream);

/* Counters of the flows `ids` at one instant: out[i * port count + port]. Returns the port count.
 */
int ws_generator_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
					   uint32_t count, struct ws_flow *out, uint64_t *tsc);
/* Reset the flows: their counters on all ports, and their latency. */
int ws_generator_reset_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
							 uint32_t count);

/*
 * Received packets of one latency flow. `dropped`: packets missing in the sequence. `out_of_order`:
 * late packets, `duplicate`: repeated ones; both also count as `seq_too_low`. Each gap counts as
 * `seq_too_high`.
 */
struct ws_latency {
	uint64_t packets, dropped, duplicate, out_of_order, seq_too_high, seq_too_low;
	uint64_t min_ns, max_ns, sum_ns; /* 0 while nothing was received */
	uint64_t last_max_ns;            /* maximum of the last half second with packets */
	uint64_t jitter_ns;              /* RFC 3550 section 6.4.1 */
	uint64_t histogram[WS_LATENCY_BINS];
	uint64_t hdr[WS_HDR_COUNTS];
	uint32_t hdr_first, hdr_end; /* all counts before the first and from the end on are 0 */
};
/* Results for `ids`, read in groups; those of one group are of the same instant. */
int ws_generator_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count,
						 struct ws_latency *out);

struct ws_flow_faults {
	uint64_t bad_header; /* packets with the mark of a latency flow but an invalid tail */
	uint64_t old_flow;   /* packets of an earlier start */
};
int ws_generator_flow_faults(struct ws_generator *generator, struct ws_flow_faults *out);
