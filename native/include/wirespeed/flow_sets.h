/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow sets: millions of flows through a stateful device, with the number of the flow in each
 * frame.
 *
 * A set has an initiator and a responder port. Its phases follow each other:
 *   LEARN     the initiator sends each flow once; the responder learns the tuple it arrives with.
 *             Over TCP, the responder answers each with a SYN-ACK and the initiator with an ACK
 *   VALIDATE  the responder sends once over each learnt tuple; the initiator checks the arrival
 *   EXCHANGE  either side sends over flows drawn at random; the responder only over learnt ones
 * Streams of type WS_FLOW_SET send the frames. Their packet is a UDP frame of any addresses and
 * ports, their flow_id a ws_flow_order. Each frame has its flow, a number and its phase behind the
 * UDP header, and correct checksums. Over TCP the packet is a SYN, SYN-ACK or ACK without data, or
 * a segment whose data begins with these words. Frames of a handshake have the flow in the initial
 * sequence number. Nothing is retransmitted, and acknowledgements follow the received data.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wirespeed/flows.h"

struct ws_generator;

enum {
	WS_FLOW_SET_MOST = 1 << 28, /* flows */
	WS_FLOW_SET_PAYLOAD = 16,   /* minimum number of bytes behind the UDP header */
};

enum ws_flow_order {
	WS_FLOW_EACH = 0,   /* each once, in a pseudorandom order */
	WS_FLOW_RANDOM = 1, /* drawn with repetition, in groups of eight that LEARN sends far apart */
	WS_FLOW_ANSWER = 2, /* LEARN over TCP: flows whose SYN or SYN-ACK has just arrived */
};

enum ws_flow_phase {
	WS_PHASE_NONE = 0, /* test frames that arrive count as late */
	WS_PHASE_LEARN = 1,
	WS_PHASE_VALIDATE = 2,
	WS_PHASE_EXCHANGE = 3,
};

/* First addresses have 4 or 16 bytes; the further ones follow consecutively. The seed only selects
 * the order of the tuples. */
struct ws_flow_set {
	bool ip6, tcp;
	uint8_t source[16], destination[16];
	uint32_t sources, destinations;
	uint16_t source_port, destination_port;
	uint32_t source_ports, destination_ports;
	uint32_t flows;
	uint64_t seed;
};

/* A port has at most one flow set. A set of the same two ports is replaced. */
int ws_flow_set_open(struct ws_generator *generator, uint16_t initiator, uint16_t responder,
					 const struct ws_flow_set *set);
/* The set's streams must be stopped. A port without a set is not an error. */
void ws_flow_set_close(struct ws_generator *generator, uint16_t initiator);
/* Size of the tables of a set in bytes, over UDP or TCP. */
uint64_t ws_flow_set_bytes(bool ip6, uint32_t flows);

/* Begin a phase: all counts become 0, and frames of earlier phases count as late. LEARN forgets the
 * learnt tuples. Frames whose number is a multiple of `latency_every`, a power of 2, are timed; 0:
 * none. No stream of the set may send during the call. */
int ws_flow_set_begin(struct ws_generator *generator, uint16_t initiator, uint32_t phase,
					  uint32_t latency_every);
/* End the phase; counts are kept. After LEARN, the learnt tuples are compared, which can take
 * seconds. */
int ws_flow_set_end(struct ws_generator *generator, uint16_t initiator);

/* Counts of one port in the phase: frames, unless the name says flows. */
struct ws_flow_counts {
	uint64_t sent, sent_bytes;
	uint64_t first_tsc, last_tsc; /* time of the first and the last burst; 0: none was sent */
	uint64_t received;            /* EXCHANGE: frames of this phase, duplicates excluded */
	uint64_t duplicates;          /* further frames of a flow (EXCHANGE: of a number) */
	uint64_t reordered,
		unplaced;            /* EXCHANGE; `unplaced`: too late to distinguish from duplicates */
	uint64_t flows;          /* flows that arrived, at the initiator only at the right place */
	uint64_t wrong_flows;    /* at the initiator: flows that only arrived elsewhere */
	uint64_t wrong;          /* arrived at, or came from, the wrong host or port */
	uint64_t remapped_flows; /* flows with more than one tuple */
	uint64_t remapped;       /* frames whose tuple differs from the last one of their flow */
	uint64_t unlearnt;       /* EXCHANGE: frames of flows that were not learnt */
	uint64_t to_answer, answered; /* LEARN over TCP: flows to answer, answers sent */
	uint64_t confirmed;           /* LEARN over TCP: flows whose ACK arrived with the same tuple */
	uint64_t late;                /* of an earlier phase */
	uint64_t bad;         /* frames of no flow of the set, or with a wrong sequence number */
	uint64_t unknown;     /* neither test frames nor a kind of ws_frame_kinds */
	uint64_t icmp_errors; /* of both families */
	uint64_t latency_packets, latency_min_ns, latency_max_ns, latency_sum_ns;
	uint64_t hdr[WS_HDR_COUNTS]; /* as in ws_latency */
	/* IPDV (RFC 5481): how much the latency of a frame exceeds that of the frame with the number
	 * before, or falls short of it. Only if all frames are timed, and for frames at one worker. */
	uint64_t more_max_ns, less_max_ns;
	uint64_t more[WS_HDR_COUNTS], less[WS_HDR_COUNTS];
};

int ws_flow_set_counts(struct ws_generator *generator, uint16_t initiator, bool responder,
					   struct ws_flow_counts *out);

/* The outcome of LEARN, known at its end: flows to send over, for TCP those with a complete
 * handshake. If flows were merged, `distinct` tuples are fewer than the flows that arrived. */
struct ws_flow_learnt {
	uint64_t flows, distinct;
	uint64_t same_source; /* flows with their original source address and port: not translated */
	uint64_t changed_destination; /* flows with another destination address or port than sent */
};

int ws_flow_set_learnt(struct ws_generator *generator, uint16_t initiator,
					   struct ws_flow_learnt *out);
/* The tuple of the flow as sent and as learnt, 36 bytes each, of which IPv4 uses 12: both
 * addresses, both ports. Returns 1 if it was learnt. */
int ws_flow_set_tuple(struct ws_generator *generator, uint16_t initiator, uint32_t flow,
					  uint8_t sent[36], uint8_t learnt[36]);
