/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of the written fields; see program_sum.c. */
#pragma once

#include "generator/program/program_code.h"

enum { MAX_TERMS = 8 };

/* A field that the program writes, within the sum. */
struct term {
	uint64_t add;
	uint16_t at; /* offset in the packet */
	uint8_t var, size;
	bool big_endian;
	bool odd; /* the field starts at an odd byte of the sum */
};

/* Checksum of an IPv4 header, or of L4 with its pseudo header. */
struct sum {
	uint32_t base;  /* sum of the constant bytes, folded */
	uint16_t field; /* offset of the checksum in the packet */
	bool is_udp;
	uint8_t term_count;
	struct term terms[MAX_TERMS];
};

struct sums {
	uint8_t count;
	uint8_t written_count; /* fields that are written along with sums */
	uint8_t
		along; /* number of sums, from the first one on, that are computed along with the writes */
	struct sum sums[2];
	/* Up to two fields of the first sum, such as addresses; or one field and another of two bytes.
	 */
	struct term written[2];
	uint32_t masks[2]; /* masks of the fields in the second sum: 0 if it does not cover the field */
};

/* Write the fields and the sums of `n` packets; one function per march level. */
typedef void write_and_sum_fn(const struct sums *sums, const struct program *program,
							  uint8_t *const *packets, uint16_t n);
write_and_sum_fn write_and_sum_1, write_and_sum_2, write_and_sum_3, write_and_sum_4;

/* Bytes of the packet, from `start` to before `end`. */
struct span {
	uint16_t start, end;
};

/* True for a write of whole bytes, independent of their previous value. */
static inline bool code_writes(const struct code *code)
{
	return code->run == run_write8 || code->run == run_write16 || code->run == run_write32 ||
		   code->run == run_write64;
}

static inline struct span code_written(const struct code *code)
{
	return (struct span){code->write.offset, (uint16_t)(code->write.offset + code->write.size)};
}
