/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by program_compile.c and program_variable.c. */
#pragma once

#include "generator/program/program_code.h"

struct ws_op;
struct ws_stream;

/* The state of a compilation. */
struct compiler {
	const struct ws_stream *stream;
	struct stream_part part; /* whole, where program_spreads says no */
	struct program *program;
	uint16_t index;    /* index of the present instruction */
	uint64_t assigned; /* bit set of the variables that have a value */
	uint8_t size[VARIABLES];
	uint64_t max[VARIABLES], min[VARIABLES];
	uint64_t period[VARIABLES]; /* in packets */
	/* The instruction whose variable advances this one when it wraps; -1: none. */
	int32_t source[VARIABLES];
};

/* Says what is wrong with the instruction at hand; -EINVAL. */
__attribute__((format(printf, 2, 3))) int compiler_fault(const struct compiler *compiler,
														 const char *format, ...);
int compiler_check_size(const struct compiler *compiler, uint8_t size);
int compiler_check_assigned(const struct compiler *compiler, uint16_t var);

/*
 * The order to compile the instructions in: as given, but a variable that advances another one goes
 * in front of it. NULL when memory is short, or a chain is wrong.
 */
uint16_t *compiler_order(struct compiler *compiler, int *error);

/* Instructions that advance variables. */
int compile_variable(struct compiler *compiler, const struct ws_op *op, struct code *code);
int compile_tuple(struct compiler *compiler, const struct ws_op *op, struct code *code);

/* Set the step between the packets of a part. `range` as in the counter; 0: 2^64. */
void spread_counter(struct counter *counter, uint64_t range, struct stream_part part);
void spread_list(struct list *list, struct stream_part part);

/* Values are drawn by code for this level of CPU from now on. */
void draw_use_march(int level);
/* Set how a value of `size` bytes below `range` (0: 2^64) is drawn. */
void draw_set_up(struct draw *draw, uint8_t size, uint64_t range);
/* Random variables of one stream draw in turn; once all instructions are compiled. */
void compile_draws(struct program *program, const struct ws_stream *stream);

/* Checksums that follow from what is written, once all instructions are compiled; see
 * program_sum.c. */
int compile_sums(struct program *program, const uint8_t *template);
/* The fields that are written do not lie over each other, and nothing else is written. */
bool program_is_plain(const struct program *program);
/* Sums that can do so write their fields along with them. */
void compile_taken_over(struct program *program);
