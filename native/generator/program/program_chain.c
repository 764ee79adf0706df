/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of variables: one advances when the one before it wraps. */
#include "dev/error.h"
#include "generator/program/program_compiler.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_variable(const struct ws_op *op)
{
	return op->kind == WS_OP_VAR && op->var < VARIABLES;
}

static int find_sources(struct compiler *compiler)
{
	const struct ws_stream *stream = compiler->stream;
	uint64_t variables = 0;
	memset(compiler->source, -1, sizeof(compiler->source));
	for (uint16_t i = 0; i < stream->op_count; i++)
		variables |= is_variable(&stream->ops[i]) ? 1ULL << stream->ops[i].var : 0;
	for (uint16_t i = 0; i < stream->op_count; i++) {
		const struct ws_op *op = &stream->ops[i];
		compiler->index = i;
		if (!is_variable(op) || !op->has_next)
			continue;
		if (op->next_var >= VARIABLES || !(variables & 1ULL << op->next_var))
			return compiler_fault(compiler, "its next variable %u has no instruction of its own",
								  op->next_var);
		if (compiler->source[op->next_var] >= 0)
			return compiler_fault(compiler, "variable %u is the next of two variables",
								  op->next_var);
		compiler->source[op->next_var] = i;
	}
	return 0;
}

/* Place the instructions that must precede `index` and have no place yet, the first one first. */
static int place(struct compiler *compiler, uint16_t index, bool *placed, uint16_t *order,
				 uint16_t *count)
{
	uint16_t chain[VARIABLES + 1], length = 0;
	const struct ws_op *ops = compiler->stream->ops;
	for (int32_t at = index; at >= 0 && !placed[at];
		 at = is_variable(&ops[at]) ? compiler->source[ops[at].var] : -1) {
		compiler->index = index;
		if (length > VARIABLES - 1 && is_variable(&ops[index]))
			return compiler_fault(compiler, "variable %u is, by way of others, its own next one",
								  ops[index].var);
		chain[length++] = (uint16_t)at;
	}
	while (length) {
		order[(*count)++] = chain[--length];
		placed[chain[length]] = true;
	}
	return 0;
}

uint16_t *compiler_order(struct compiler *compiler, int *error)
{
	uint16_t op_count = compiler->stream->op_count, count = 0;
	uint16_t *order = calloc(op_count, sizeof(*order));
	bool *placed = calloc(op_count, sizeof(*placed));
	if (!order || !placed) {
		free(order);
		free(placed);
		*error = fail(-ENOMEM, "no memory for the program of stream %u", compiler->stream->id);
		return NULL;
	}
	*error = find_sources(compiler);
	for (uint16_t i = 0; !*error && i < op_count; i++)
		*error = place(compiler, i, placed, order, &count);
	free(placed);
	if (!*error)
		return order;
	free(order);
	return NULL;
}
