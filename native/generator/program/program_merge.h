/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a program writes, in one store a packet.
 *
 * Most programs write a few fields that lie close to each other, and checksums between them. Of
 * such a program the fields and checksums of eight packets are computed at once, and what lies
 * between them is known from the template, so that each packet gets one or two whole vectors and
 * nothing is read of it. Compiled for each level of CPU; the lowest has no instruction that moves
 * bytes by a table, and keeps to single writes.
 */
#ifndef GENERATOR_PROGRAM_MERGE_H
#define GENERATOR_PROGRAM_MERGE_H

#include "generator/program/program_code.h"

enum {
	MERGE_FIELDS = 3,
	MERGE_SUMS = 2,
	MERGE_VECTOR = 16, /* bytes that one store writes */
	MERGE_VECTORS = 2,
	MERGE_SOURCES = 16, /* bytes: a lane of 4 for each field, one with two checksums */
	MERGE_NO_SOURCE = 0x80,
};

/* In lanes of 32 bits a value stands as its bytes on the wire read in network order. */
struct merge_field {
	uint8_t var, size;
	bool little_endian;
	uint32_t add;
};

struct merge_sum {
	uint32_t base;
	uint32_t zero; /* what is sent in place of a checksum of 0 */
	struct {
		uint32_t mask; /* 0: the field is not summed up */
		uint8_t shift; /* 8: it starts at an odd byte */
	} terms[MERGE_FIELDS];
};

struct merge {
	uint8_t field_count, sum_count, vector_count;
	uint16_t at[MERGE_VECTORS]; /* in the packet */
	struct merge_field fields[MERGE_FIELDS];
	struct merge_sum sums[MERGE_SUMS];
	/* Of each byte: which one of the sources it is, or MERGE_NO_SOURCE and what it is. */
	uint8_t control[MERGE_VECTORS][MERGE_VECTOR];
	uint8_t base[MERGE_VECTORS][MERGE_VECTOR];
};

code_fn run_merge_2, run_merge_3, run_merge_4;

/* Makes one instruction of all writes and checksums, if they are few and close to each other and
 * the CPU can; the program is plain and has its sums. */
int compile_merge(struct program *program, const uint8_t *template);
/* It is one of those; its `merge` is its own. */
bool code_merges(const struct code *code);

#endif
