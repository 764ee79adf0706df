/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of a generator, and the field programs that vary their packets. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum ws_op_kind {
	WS_OP_VAR = 0, /* advance `var`: inc, dec or random over [min, max], or through a list */
	WS_OP_TUPLE =
		1, /* advance address `var` and port `var2` together: address first, port on wrap */
	WS_OP_WRITE = 2, /* write `var` + add at `offset` in `size` bytes */
	/* Like WS_OP_WRITE through mask and shift, in 32 bits, as in T-Rex: a little-endian write has
	 * as many bytes as the variable, at most 4; a big-endian write of 8 bytes takes its upper half.
	 */
	WS_OP_WRITE_MASK = 3,
	WS_OP_TRIM = 4,    /* packet length (without FCS) = `var` */
	WS_OP_FIX_IP4 = 5, /* IPv4 header checksum; header at `offset` */
	WS_OP_FIX_L4 = 6,  /* checksums of IPv4 (if IPv4) and UDP/TCP; l2_len, l3_len, l4 */
	WS_OP_FIX_ICMP6 = 7,
};

enum ws_var_kind {
	WS_VAR_INC = 0,
	WS_VAR_DEC = 1,
	WS_VAR_RANDOM = 2,
	WS_VAR_RAND_LIMIT = 3,
	WS_VAR_LIST = 4,
	WS_VAR_RANDOM_LIST = 5,
};
enum ws_l4_kind { WS_L4_UDP = 11, WS_L4_TCP = 13, WS_L4_IP = 17 };

/* Instruction of a field program. Variables are numbered 0 … 63 and hold 64 bits. */
struct ws_op {
	int32_t kind; /* enum ws_op_kind */
	uint16_t var, var2;
	uint8_t size;     /* bytes of the variable or of the write: 1, 2, 4, 8 */
	bool big_endian;  /* byte order of the write */
	int32_t var_kind; /* for WS_OP_VAR: enum ws_var_kind */
	uint64_t min, max, init, step;
	uint64_t min2, max2;  /* range of a tuple's port */
	bool unlimited;       /* WS_OP_TUPLE: ports continue from max2 + 1 to 65535 and wrap to 1025 */
	uint64_t limit;       /* length of the repeating random list; flows of a tuple, 0: all */
	uint32_t seed;        /* seed for WS_VAR_RAND_LIMIT; the others share the stream's */
	const uint64_t *list; /* WS_VAR_LIST, WS_VAR_RANDOM_LIST; copied */
	uint32_t list_count;
	bool has_next;     /* WS_OP_VAR: `next_var` advances only when this variable wraps */
	uint16_t next_var; /* a variable with a WS_OP_VAR of its own */
	uint16_t offset;   /* from the start of the frame */
	int64_t add;
	uint64_t mask;
	int32_t shift; /* positive: to the left */
	uint16_t l2_len, l3_len;
	int32_t l4; /* enum ws_l4_kind */
};

enum ws_stream_mode { WS_CONTINUOUS = 0, WS_SINGLE_BURST = 1, WS_MULTI_BURST = 2 };
enum ws_flow_kind {
	WS_FLOW_NONE = 0,
	WS_FLOW_STATS = 1,
	WS_FLOW_LATENCY = 2,
	WS_FLOW_TAGGED = 3,
	WS_FLOW_SET = 4, /* the port's flow set writes its packets, see flow_sets.h */
};

struct ws_stream {
	uint32_t id; /* unique on the port */
	const uint8_t *packet;
	uint16_t packet_len; /* without FCS; padded to 60 with zeros */
	bool enabled, self_start, start_paused;
	int32_t mode;            /* enum ws_stream_mode */
	double rate_pps;         /* absolute, before the run's factor */
	bool fixed_rate;         /* rate_pps does not change with the factor (latency streams) */
	uint64_t packets;        /* packets of the single burst, or of each burst */
	uint32_t bursts;         /* bursts of a multi-burst */
	double burst_gap_us;     /* between bursts */
	double start_delay_us;   /* delay before the stream starts, each time it is entered */
	int64_t next_id;         /* stream to start when this one ends; -1: none */
	uint32_t loops;          /* rounds of a chain that this stream closes; 0: endless */
	const struct ws_op *ops; /* copied */
	uint16_t op_count;
	uint32_t pinned;      /* pinned to the port's core `pinned` - 1; 0: not pinned */
	uint32_t cache;       /* packets to compute once and replay; 0: chosen by the engine */
	uint32_t random_seed; /* seed of its random variables, see program_draw.c; 0: the stream's id */
	bool is_null;         /* takes its time but sends nothing; needs no packet */
	int32_t flow_kind;    /* enum ws_flow_kind */
	uint32_t flow_id; /* hardware id of the pg_id, below WS_FLOWS or WS_LATENCY_FLOWS; or a tagged
						 packet group; or a ws_flow_order */
	/* WS_FLOW_STATS: put the mark at the end of the payload and not into the IP header, which the
	 * DUT may change. */
	bool flow_signature;
};
