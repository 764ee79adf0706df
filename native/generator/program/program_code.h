/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs: made by program_compile.c, run by program_run.c. */
#pragma once

#include "generator/program/program.h"

enum { VARIABLES = 64 };

/* Variable of a range: value = origin + offset, or origin - offset when it counts down. */
struct counter {
	uint64_t origin, offset, step;
	uint64_t room; /* range - step, modulo 2^64: from here on the next step wraps */
};

/* Counting on beyond the largest value of `mask`, as T-Rex does where the widened range ends there.
 */
struct overflow {
	uint64_t min, max, step, mask, value; /* `value` of the packet before */
};

/* So many draws further: state * multiplier + increment, modulo 2^32. */
struct jump {
	uint32_t multiplier, increment;
};

struct draw {
	uint64_t min, range;   /* range 0: all 64 bits */
	uint64_t reciprocal;   /* reciprocal of the range, see program_draw.c; 0: each drawn value is
							  below it */
	uint64_t *values;      /* values of a list; NULL: a range */
	uint64_t count, limit; /* starts over after `limit` values; 0: never */
	uint32_t seed, state;
	struct jump next, far; /* to the draws of the next packet, and as many packets on as there are
							  lanes */
	uint8_t shift, draws;  /* draws: of 15 bits, for one value */
};

struct list {
	uint64_t *values;
	uint32_t count, position, step;
};

struct tuple {
	uint64_t address_min, addresses, address;   /* `address` and `port` count from their minimum */
	uint64_t port_min, ports, port, port_again; /* the port after the last one */
	uint64_t flow, flows;                       /* flows 0: no end */
};

struct write {
	uint16_t offset;
	uint8_t size;
	bool big_endian;
	bool upper_half; /* the upper half of the variable is written */
	uint64_t add, mask;
	int shift;
};

struct fix {
	uint16_t l3, l4;  /* offsets */
	bool is_ip4;      /* the template's family, whatever the program writes there */
	uint8_t protocol; /* 0: the IPv4 header alone */
	uint8_t field;    /* offset of the checksum in the L4 header */
};

struct sums; /* see program_sum.c */
struct code;
struct program;

typedef void code_fn(struct code *code, struct program *program, uint8_t *const *packets,
					 uint16_t *lengths, uint16_t n);

struct code {
	code_fn *run;
	uint8_t var, var2;
	int8_t before;    /* the variable advances only when this one wraps; -1: after each packet */
	bool counts_down; /* a chained counter counts down */
	union {
		struct counter counter;
		struct overflow overflow;
		struct draw draw;
		struct list list;
		struct tuple tuple;
		struct write write;
		struct fix fix;
		struct sums *sums;
	};
};

struct program {
	uint64_t (*values)[PROGRAM_BATCH]; /* one batch per variable */
	uint64_t wraps[VARIABLES];         /* bit i: the variable wrapped for packet i of the batch */
	uint64_t period;
	/* Run packet by packet, since what is drawn depends on what wraps; `random` is the state then.
	 */
	bool in_order;
	uint32_t random;
	bool keeps_length;
	uint16_t frame_len;
	uint16_t count;
	struct code code[];
};

/* Chosen by program_compile; each does one kind of instruction for a batch. */
code_fn run_count_up, run_count_down, run_overflow, run_draw, run_list, run_tuple;
code_fn run_chained_counter, run_chained_list, run_draw_in_order;
code_fn run_write8, run_write16, run_write32, run_write64, run_write_mask;
code_fn run_trim, run_fix_ip4, run_fix_l4, run_sums;

/* The code's variable advances for packet i of the batch. */
static inline bool code_is_due(const struct code *code, const struct program *program, uint16_t i)
{
	return code->before < 0 || program->wraps[code->before] >> i & 1;
}

/* Length of the IP header's packet, cut at the end of the buffer. */
uint16_t fix_l4_length(const uint8_t *ip, const struct fix *fix, uint16_t length);
