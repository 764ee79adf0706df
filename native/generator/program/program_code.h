/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs: made by program_compile.c, run by program_run.c. */
#pragma once

#include "generator/program/program.h"

enum { VARIABLES = 64 };

/* Variable of a range: value = origin + offset, or origin - offset when it counts down. */
struct counter {
	uint64_t origin, offset, step;
	uint64_t room; /* range - step, modulo 2^64: from this offset on the next step wraps */
};

/* Counts on beyond the largest value of `mask`, as T-Rex does when the widened range exceeds the
 * variable's size. */
struct overflow {
	uint64_t min, max, step, mask, value; /* `value` of the previous packet */
};

/* Skips a number of draws: state * multiplier + increment, modulo 2^32. */
struct jump {
	uint32_t multiplier, increment;
};

struct draw {
	uint64_t min, range; /* range 0: all 64 bits */
	uint64_t reciprocal; /* reciprocal of the range, see program_draw.c; 0: each raw value is below
							the range */
	uint64_t *values;    /* values of a list; NULL: a range */
	uint64_t count, limit; /* restarts after `limit` values; 0: never */
	uint32_t seed, state;
	struct jump next, far; /* skips to the draws of the next packet, and to those of as many packets
							  on as there are lanes */
	uint8_t shift, draws;  /* `draws`: of 15 bits each, for one value */
};

struct list {
	uint64_t *values;
	uint32_t count, position, step;
};

struct tuple {
	uint64_t address_min, addresses, address;   /* `address` and `port` count from their minimum */
	uint64_t port_min, ports, port, port_again; /* the port after the last one */
	uint64_t flow, flows;                       /* 0 flows: no limit */
};

struct write {
	uint16_t offset;
	uint8_t size;
	bool big_endian;
	bool upper_half; /* writes the upper half of the variable */
	uint64_t add, mask;
	int shift;
};

struct fix {
	uint16_t l3, l4;  /* offsets */
	bool is_ip4;      /* the template's IP version, even if the program overwrites it */
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
	int8_t
		before; /* the variable whose wrap advances this one; -1: it advances after each packet */
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
	/* The program runs packet by packet, since its random draws depend on wraps; `random` is then
	 * the state of the generator. */
	bool in_order;
	uint32_t random;
	bool keeps_length;
	uint16_t frame_len;
	uint16_t count;
	struct code code[];
};

/* Set by program_compile; each function runs one kind of instruction over a batch. */
code_fn run_count_up, run_count_down, run_overflow, run_draw, run_list, run_tuple;
code_fn run_chained_counter, run_chained_list, run_draw_in_order;
code_fn run_write8, run_write16, run_write32, run_write64, run_write_mask;
code_fn run_trim, run_fix_ip4, run_fix_l4, run_sums;

/* True if the code's variable advances for packet i of the batch. */
static inline bool code_is_due(const struct code *code, const struct program *program, uint16_t i)
{
	return code->before < 0 || program->wraps[code->before] >> i & 1;
}

/* Length of the IP header's packet, cut at the end of the buffer. */
uint16_t fix_l4_length(const uint8_t *ip, const struct fix *fix, uint16_t length);
