/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow sets: flows by the million through a stateful device, each with a number in its frames.
 *
 * A set has an initiator and a responder port. Its phases follow each other:
 *   LEARN     the initiator sends each flow once; the responder learns the tuple it arrives with.
 *             Over TCP, the responder answers each with a SYN-ACK and the initiator with an ACK
 *   VALIDATE  the responder sends once over each learnt tuple; the initiator looks where it arrives
 *   EXCHANGE  either sends over flows drawn at random, of the learnt ones where the responder does
 * What is sent are streams of WS_FLOW_SET, whose packet is a UDP frame of any addresses and ports;
 * their flow_id is a ws_flow_order. Each frame has its flow, a number and its phase behind the UDP
 * header, and right checksums. Over TCP the packet is a SYN, SYN-ACK or ACK without data, or a
 * segment with data: those words are its first bytes. Frames of a handshake have the flow in the
 * initial sequence number. Nothing is sent twice, and acknowledgements follow what arrived.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wirespeed/flows.h"

struct ws_generator;

enum {
	WS_FLOW_SET_MOST = 1 << 28, /* flows */
	WS_FLOW_SET_PAYLOAD = 16,   /* bytes behind the UDP header that its frames have at least */
};

enum ws_flow_order {
	WS_FLOW_EACH = 0,   /* each once: in a pseudorandom order */
	WS_FLOW_RANDOM = 1, /* drawn with repetition, eight at once that LEARN sends far apart */
	WS_FLOW_ANSWER = 2, /* LEARN over TCP: those whose SYN or SYN-ACK arrived, as soon as it did */
};

enum ws_flow_phase {
	WS_PHASE_NONE = 0, /* all test frames that arrive are late */
	WS_PHASE_LEARN = 1,
	WS_PHASE_VALIDATE = 2,
	WS_PHASE_EXCHANGE = 3,
};

/* Addresses are the first 4 or all 16 bytes; those after the first one follow it. The seed decides
 * on the order of the tuples, and on nothing else. */
struct ws_flow_set {
	bool ip6, tcp;
	uint8_t source[16], destination[16];
	uint32_t sources, destinations;
	uint16_t source_port, destination_port;
	uint32_t source_ports, destination_ports;
	uint32_t flows;
	uint64_t seed;
};

/* A port has one set at most. A set of the same two ports is replaced. */
int ws_flow_set_open(struct ws_generator *generator, uint16_t initiator, uint16_t responder,
					 const struct ws_flow_set *set);
/* Streams of it have to be stopped. No set at the port is fine. */
void ws_flow_set_close(struct ws_generator *generator, uint16_t initiator);
/* Bytes that the tables of a set take, over UDP or TCP. */
uint64_t ws_flow_set_bytes(bool ip6, uint32_t flows);

/* All counts become 0; frames of the phases before are late from now on. LEARN forgets what was
 * learnt. Of the frames whose number is a multiple of `latency_every`, a power of 2, the latency is
 * taken; 0: of none. Nothing may be sent meanwhile. */
int ws_flow_set_begin(struct ws_generator *generator, uint16_t initiator, uint32_t phase,
					  uint32_t latency_every);
/* Counts stay as they are. After LEARN the learnt tuples are compared, which takes up to some
 * seconds. */
int ws_flow_set_end(struct ws_generator *generator, uint16_t initiator);

/* Counts of one port in the phase: of frames, unless it says flows. */
struct ws_flow_counts {
	uint64_t sent, sent_bytes;
	uint64_t first_tsc, last_tsc; /* when the first burst went, and the last; 0: none went */
	uint64_t received;            /* frames of this phase, each one once (EXCHANGE) */
	uint64_t duplicates;          /* beyond the first of their flow (EXCHANGE: of their number) */
	uint64_t reordered, unplaced; /* EXCHANGE: late by number; too late to tell from duplicates */
	uint64_t flows;               /* flows that arrived, and at the initiator where they should */
	uint64_t wrong_flows;         /* flows that arrived there, but never where they should */
	uint64_t wrong;               /* at the wrong host or port, or from one */
	uint64_t remapped_flows;      /* flows that had more than one tuple */
	uint64_t remapped;            /* with another tuple than the one before of its flow */
	uint64_t unlearnt;            /* EXCHANGE: of flows that did not arrive in LEARN */
	uint64_t to_answer, answered; /* LEARN over TCP: flows to answer, answers that were sent */
	uint64_t confirmed;           /* the same: flows whose ACK arrived, with their tuple */
	uint64_t late;                /* of an earlier phase */
	uint64_t bad;                 /* of no flow of the set, or with a wrong sequence number */
	uint64_t unknown;             /* no test frames, nor of a kind of ws_frame_kinds */
	uint64_t icmp_errors;         /* of both families */
	uint64_t latency_packets, latency_min_ns, latency_max_ns, latency_sum_ns;
	uint64_t hdr[WS_HDR_COUNTS]; /* as in ws_latency */
	/* By how much the latency of a frame exceeds that of the frame before it, by number, or falls
	 * short of it: IPDV (RFC 5481) where all latencies are taken and both arrive at one worker. */
	uint64_t more_max_ns, less_max_ns;
	uint64_t more[WS_HDR_COUNTS], less[WS_HDR_COUNTS];
};

int ws_flow_set_counts(struct ws_generator *generator, uint16_t initiator, bool responder,
					   struct ws_flow_counts *out);

/* What LEARN learnt, known when it has ended: flows that can be sent over; over TCP their handshake
 * was whole. `distinct` tuples are fewer than the flows that arrived where flows were merged. */
struct ws_flow_learnt {
	uint64_t flows, distinct;
	uint64_t same_source;         /* address and port as sent: not translated */
	uint64_t changed_destination; /* another address or port than was sent */
};

int ws_flow_set_learnt(struct ws_generator *generator, uint16_t initiator,
					   struct ws_flow_learnt *out);
/* The tuple that the flow was sent with and the one that it was learnt with: 36 bytes each, of
 * which IPv4 uses 12: both addresses, both ports. Returns whether it was learnt. */
int ws_flow_set_tuple(struct ws_generator *generator, uint16_t initiator, uint32_t flow,
					  uint8_t sent[36], uint8_t learnt[36]);
