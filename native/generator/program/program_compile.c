/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of the seam's instructions to checked code. */
#include "dev/error.h"
#include "generator/own_lines.h"
#include "generator/program/program_compiler.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/udp.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MASKED_MAX = 4 }; /* bytes of a masked field */

static int check_span(const struct compiler *compiler, const char *what, uint32_t offset,
					  uint32_t size)
{
	uint16_t frame = compiler->program->frame_len;
	if (offset + size <= frame)
		return 0;
	return compiler_fault(compiler,
						  "%s of %u bytes at offset %u ends beyond the packet of %u bytes", what,
						  size, offset, frame);
}

static int compile_write(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool masked = op->kind == WS_OP_WRITE_MASK;
	int error = compiler_check_assigned(compiler, op->var);
	if (!error)
		error = compiler_check_size(compiler, op->size);
	if (error)
		return error;
	uint8_t variable = compiler->size[op->var], size = op->size;
	if (masked && size > MASKED_MAX)
		return compiler_fault(compiler, "a masked field of %u bytes; up to %d are possible", size,
							  MASKED_MAX);
	if (masked && !op->big_endian)
		size = variable < MASKED_MAX ? variable : MASKED_MAX;
	error = check_span(compiler, "a field", op->offset, size);
	if (error)
		return error;
	if (masked && (op->shift < -63 || op->shift > 63))
		return compiler_fault(compiler, "a shift by %d bits; -63 to 63 is possible", op->shift);
	code->run = masked      ? run_write_mask
				: size == 1 ? run_write8
				: size == 2 ? run_write16
				: size == 4 ? run_write32
							: run_write64;
	code->write = (struct write){
		.offset = op->offset,
		.size = size,
		.big_endian = op->big_endian,
		.upper_half = masked && op->big_endian && variable > MASKED_MAX,
		.add = (uint64_t)op->add,
		.mask = op->mask,
		.shift = op->shift,
	};
	return 0;
}

static int compile_trim(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = compiler_check_assigned(compiler, op->var);
	if (error)
		return error;
	if (compiler->max[op->var] > compiler->program->frame_len)
		return compiler_fault(compiler, "variable %u goes up to %lu, beyond the packet of %u bytes",
							  op->var, compiler->max[op->var], compiler->program->frame_len);
	compiler->program->keeps_length = false;
	code->run = run_trim;
	return 0;
}

static int compile_fix_ip4(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	code->run = run_fix_ip4;
	code->fix = (struct fix){.l3 = op->offset};
	return check_span(compiler, "an IPv4 header", op->offset, IP4_LEN);
}

/* The IP version of the template at `offset`; 0 if there is no IP header. */
static int ip_version(const struct ws_stream *stream, uint16_t offset)
{
	int version = offset < stream->packet_len ? stream->packet[offset] >> 4 : 0;
	return version == 4 || version == 6 ? version : 0;
}

struct l4_kind {
	int l4;
	uint8_t protocol, field, header; /* field: offset of the checksum */
};

static const struct l4_kind *find_l4_kind(const struct ws_op *op)
{
	static const struct l4_kind icmp6 = {
		.protocol = IP6_ICMP, .field = offsetof(struct icmp6_header, checksum), .header = 4};
	static const struct l4_kind kinds[] = {
		{WS_L4_UDP, IP4_UDP, offsetof(struct udp_header, checksum), UDP_LEN},
		{WS_L4_TCP, IP4_TCP, 16, 20},
		{WS_L4_IP, 0, 0, 0}};
	if (op->kind == WS_OP_FIX_ICMP6)
		return &icmp6;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].l4 == op->l4)
			return &kinds[i];
	return NULL;
}

static int compile_fix_l4(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	const struct l4_kind *kind = find_l4_kind(op);
	int version = ip_version(compiler->stream, op->l2_len);
	uint16_t header = version == 6 ? IP6_LEN : IP4_LEN;
	if (!kind)
		return compiler_fault(compiler, "there is no L4 type %d; %d is UDP, %d TCP, %d IP alone",
							  op->l4, WS_L4_UDP, WS_L4_TCP, WS_L4_IP);
	if (!version)
		return compiler_fault(compiler, "the packet has no IP header at offset %u", op->l2_len);
	if (op->l3_len < header)
		return compiler_fault(compiler, "an IPv%d header of %u bytes; it has %u or more", version,
							  op->l3_len, header);
	int error = check_span(compiler, "an IP header", op->l2_len, op->l3_len);
	if (!error)
		error = check_span(compiler, "an L4 header", op->l2_len + op->l3_len, kind->header);
	code->run = run_fix_l4;
	code->fix = (struct fix){
		.l3 = op->l2_len,
		.l4 = (uint16_t)(op->l2_len + op->l3_len),
		.is_ip4 = version == 4,
		.protocol = kind->protocol,
		.field = kind->field,
	};
	return error;
}

static int compile_op(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool chained = op->kind == WS_OP_VAR && op->var < VARIABLES && compiler->source[op->var] >= 0;
	code->var = (uint8_t)op->var;
	code->var2 = (uint8_t)op->var2;
	code->before =
		chained ? (int8_t)compiler->stream->ops[compiler->source[op->var]].var : (int8_t)-1;
	switch (op->kind) {
	case WS_OP_VAR:
		return compile_variable(compiler, op, code);
	case WS_OP_TUPLE:
		return compile_tuple(compiler, op, code);
	case WS_OP_WRITE:
	case WS_OP_WRITE_MASK:
		return compile_write(compiler, op, code);
	case WS_OP_TRIM:
		return compile_trim(compiler, op, code);
	case WS_OP_FIX_IP4:
		return compile_fix_ip4(compiler, op, code);
	case WS_OP_FIX_L4:
	case WS_OP_FIX_ICMP6:
		return compile_fix_l4(compiler, op, code);
	default:
		return compiler_fault(compiler, "there is no instruction %d", op->kind);
	}
}

/* An upper bound of the variables that are assigned; numbers above the limit are refused later. */
static size_t count_variables(const struct ws_stream *stream)
{
	size_t count = 1;
	for (uint16_t i = 0; i < stream->op_count; i++) {
		const struct ws_op *op = &stream->ops[i];
		if (op->kind != WS_OP_VAR && op->kind != WS_OP_TUPLE)
			continue;
		count = op->var >= count ? op->var + 1u : count;
		count = op->kind == WS_OP_TUPLE && op->var2 >= count ? op->var2 + 1u : count;
	}
	return count < VARIABLES ? count : VARIABLES;
}

struct program *program_compile(const struct ws_stream *stream, struct stream_part part,
								const uint8_t *template, uint16_t frame_len, int *error)
{
	*error = 0;
	if (!stream->op_count)
		return NULL;
	struct program *program =
		own_lines(1, sizeof(*program) + stream->op_count * sizeof(program->code[0]));
	if (!program) {
		*error = fail(-ENOMEM, "no memory for the program of stream %u", stream->id);
		return NULL;
	}
	program->values = own_lines(count_variables(stream), sizeof(*program->values));
	if (!program->values) {
		free(program);
		*error = fail(-ENOMEM, "no memory for the variables of stream %u", stream->id);
		return NULL;
	}
	struct compiler compiler = {.stream = stream, .part = part, .program = program};
	program->period = 1;
	program->keeps_length = true;
	program->frame_len = frame_len;
	uint16_t *order = compiler_order(&compiler, error);
	for (; !*error && program->count < stream->op_count; program->count++) {
		compiler.index = order[program->count];
		*error =
			compile_op(&compiler, &stream->ops[compiler.index], &program->code[program->count]);
	}
	free(order);
	compile_draws(program, stream);
	if (!*error)
		*error = compile_sums(program, template);
	if (!*error)
		compile_taken_over(program);
	if (!*error)
		return program;
	program_free(program);
	return NULL;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	for (uint16_t i = 0; i < program->count; i++) {
		struct code *code = &program->code[i];
		if (code->run == run_list || code->run == run_chained_list)
			free(code->list.values);
		if (code->run == run_draw || code->run == run_draw_in_order)
			free(code->draw.values);
		if (code->run == run_sums)
			free(code->sums);
	}
	free(program->values);
	free(program);
}

uint64_t program_period(const struct program *program)
{
	return program->period;
}

bool program_keeps_length(const struct program *program)
{
	return program->keeps_length;
}

/* Each write covers what it wrote before; a checksum that precedes a write would include the old
 * fields. */
bool program_may_repeat(const struct program *program)
{
	bool fixed = false;
	for (uint16_t i = 0; i < program->count; i++) {
		code_fn *run = program->code[i].run;
		bool fixes = run == run_fix_ip4 || run == run_fix_l4 || run == run_sums;
		bool writes = run == run_write8 || run == run_write16 || run == run_write32 ||
					  run == run_write64 || run == run_write_mask;
		if (writes && fixed)
			return false;
		fixed |= fixes;
	}
	return true;
}
