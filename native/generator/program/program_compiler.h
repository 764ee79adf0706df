/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by program_compile.c and program_variable.c. */
#pragma once

#include "generator/program/program_code.h"

struct ws_op;
struct ws_stream;

/* The state of a compilation. */
struct compiler {
	const struct ws_stream *stream;
	struct stream_part part; /* part of the stream; the whole if program_spreads is false */
	struct program *program;
	uint16_t index;    /* index of the current instruction */
	uint64_t assigned; /* bit set of the variables that have a value */
	uint8_t size[VARIABLES];
	uint64_t max[VARIABLES], min[VARIABLES];
	uint64_t period[VARIABLES]; /* in packets */
	/* The instruction whose variable advances this one when it wraps; -1: none. */
	int32_t source[VARIABLES];
};

/* Set an error text for the current instruction; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int compiler_fault(const struct compiler *compiler,
														 const char *format, ...);
int compiler_check_size(const struct compiler *compiler, uint8_t size);
int compiler_check_assigned(const struct compiler *compiler, uint16_t var);

/*
 * The order in which the instructions are compiled: as given, except that a variable precedes those
 * that it advances. NULL if memory is short, or a chain is invalid.
 */
uint16_t *compiler_order(struct compiler *compiler, int *error);

/* Compile an instruction that advances a variable. */
int compile_variable(struct compiler *compiler, const struct ws_op *op, struct code *code);
int compile_tuple(struct compiler *compiler, const struct ws_op *op, struct code *code);

/* Set the step between the packets of a part. `range` as in the counter; 0: 2^64. */
void spread_counter(struct counter *counter, uint64_t range, struct stream_part part);
void spread_list(struct list *list, struct stream_part part);

/* From now on values are drawn by the code for this march level. */
void draw_use_march(int level);
/* Set how a value of `size` bytes below `range` (0: 2^64) is drawn. */
void draw_set_up(struct draw *draw, uint8_t size, uint64_t range);
/* Random variables of one stream draw in turn. Called once all instructions are compiled. */
void compile_draws(struct program *program, const struct ws_stream *stream);

/* Replace checksum instructions by sums of the written fields, once all instructions are compiled;
 * see program_sum.c. */
int compile_sums(struct program *program, const uint8_t *template);
/* True if the written fields do not overlap and nothing else is written. */
bool program_is_plain(const struct program *program);
/* Let checksum sums write their fields too where that is possible. */
void compile_taken_over(struct program *program);
