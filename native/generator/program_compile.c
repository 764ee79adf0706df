/* SPDX-License-Identifier: Apache-2.0 */
/* From the seam's instructions to checked code. */
#include "dev/error.h"
#include "generator/program_code.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known while compiling. */
struct compiler {
	const struct ws_stream *stream;
	struct program *program;
	uint16_t index;    /* of the instruction at hand */
	uint32_t assigned; /* bit set of the variables that have a value */
	uint64_t max[VARIABLES], min[VARIABLES];
};

__attribute__((format(printf, 2, 3))) static int fault(const struct compiler *compiler,
													   const char *format, ...)
{
	char what[256];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return fail(-EINVAL, "stream %u, instruction %u: %s", compiler->stream->id, compiler->index,
				what);
}

/* ---- variables */

static uint64_t largest(uint8_t size)
{
	return size == 8 ? UINT64_MAX : (1ULL << 8 * size) - 1;
}

static int check_size(const struct compiler *compiler, uint8_t size)
{
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return 0;
	return fault(compiler, "a size of %u bytes; 1, 2, 4 and 8 are possible", size);
}

static int assign(struct compiler *compiler, uint16_t var, uint64_t min, uint64_t max)
{
	if (var >= VARIABLES)
		return fault(compiler, "there is no variable %u; they are numbered 0 to %d", var,
					 VARIABLES - 1);
	if (compiler->assigned & 1u << var)
		return fault(compiler, "variable %u is advanced by an earlier instruction already", var);
	compiler->assigned |= 1u << var;
	compiler->min[var] = min;
	compiler->max[var] = max;
	return 0;
}

static int check_assigned(const struct compiler *compiler, uint16_t var)
{
	if (var < VARIABLES && compiler->assigned & 1u << var)
		return 0;
	return fault(compiler, "variable %u has no value yet: advance it in an earlier instruction",
				 var);
}

static int check_range(const struct compiler *compiler, const char *what, uint64_t min,
					   uint64_t max, uint8_t size)
{
	if (min > max)
		return fault(compiler, "%s from %lu to %lu: the first must not be above the second", what,
					 min, max);
	if (max > largest(size))
		return fault(compiler, "%s up to %lu; %u bytes hold at most %lu", what, max, size,
					 largest(size));
	return 0;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The program repeats when all its variables do. */
static void repeats_after(struct compiler *compiler, uint64_t packets)
{
	uint64_t *period = &compiler->program->period, product;
	if (*period == UINT64_MAX || packets == UINT64_MAX ||
		__builtin_mul_overflow(*period / greatest_divisor(*period, packets), packets, &product))
		product = UINT64_MAX;
	*period = product;
}

/*
 * The range is widened to a multiple of the step, as T-Rex does, upwards when counting up and
 * downwards when counting down; it may not leave 64 bits.
 */
static int compile_counter(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool up = op->var_kind == WS_VAR_INC;
	uint64_t step = op->step ? op->step : 1, range = op->max - op->min + 1;
	if (op->init < op->min || op->init > op->max)
		return fault(compiler, "a first value of %lu; %lu to %lu is possible", op->init, op->min,
					 op->max);
	/* 2^64 is a multiple of the steps that are powers of two. */
	uint64_t rest = range ? range % step : (UINT64_MAX % step + 1) % step;
	uint64_t widen = rest ? step - rest : 0;
	uint64_t offset = up ? op->init - op->min : op->max - op->init;
	/* The farthest value on the way, counted from the origin. */
	uint64_t farthest = range - 1 + widen - (step - 1 - offset % step);
	uint64_t bound = up ? UINT64_MAX - op->min : op->max;
	if (range - 1 > UINT64_MAX - widen || farthest > bound)
		return fault(compiler, "steps of %lu leave the range %lu to %lu", step, op->min, op->max);
	range += widen;
	code->run = up ? run_count_up : run_count_down;
	code->counter = (struct counter){
		.origin = up ? op->min : op->max,
		.offset = offset,
		.step = step,
		.room = range - step,
	};
	repeats_after(compiler, range ? range / step : UINT64_MAX);
	return up ? assign(compiler, op->var, op->min, op->min + farthest)
			  : assign(compiler, op->var, op->max - farthest, op->max);
}

/* The seed given, or one of the stream's own and different for each instruction. */
static uint64_t seed_of(const struct compiler *compiler, const struct ws_op *op)
{
	if (op->seed)
		return op->seed;
	const struct ws_stream *stream = compiler->stream;
	uint64_t own = stream->random_seed ? stream->random_seed : stream->id + 0x100000000ULL;
	return own << 8 ^ compiler->index;
}

static int compile_draw(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool limited = op->var_kind == WS_VAR_RAND_LIMIT;
	if (limited && !op->limit)
		return fault(compiler, "a repeating list of no random values; 1 or more are possible");
	uint64_t seed = seed_of(compiler, op);
	code->run = run_draw;
	code->draw = (struct draw){
		.min = op->min,
		.range = op->max - op->min + 1,
		.seed = seed,
		.state = seed,
		.limit = limited ? op->limit : 0,
	};
	repeats_after(compiler, limited ? op->limit : UINT64_MAX);
	return assign(compiler, op->var, op->min, op->max);
}

static int compile_list(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	uint64_t min = UINT64_MAX, max = 0;
	if (!op->list_count)
		return fault(compiler, "an empty list of values");
	for (uint32_t i = 0; i < op->list_count; i++) {
		min = op->list[i] < min ? op->list[i] : min;
		max = op->list[i] > max ? op->list[i] : max;
	}
	int error = check_range(compiler, "values", min, max, op->size);
	if (error)
		return error;
	uint32_t step = (uint32_t)((op->step ? op->step : 1) % op->list_count);
	uint64_t *values = malloc(op->list_count * sizeof(*values));
	if (!values)
		return fail(-ENOMEM, "stream %u: no memory for a list of %u values", compiler->stream->id,
					op->list_count);
	memcpy(values, op->list, op->list_count * sizeof(*values));
	code->run = run_list;
	code->list = (struct list){.values = values, .count = op->list_count, .step = step};
	repeats_after(compiler, op->list_count / greatest_divisor(op->list_count, step));
	return assign(compiler, op->var, min, max);
}

static int compile_variable(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = check_size(compiler, op->size);
	if (!error && op->var_kind != WS_VAR_LIST)
		error = check_range(compiler, "values", op->min, op->max, op->size);
	if (error)
		return error;
	switch (op->var_kind) {
	case WS_VAR_INC:
	case WS_VAR_DEC:
		return compile_counter(compiler, op, code);
	case WS_VAR_RANDOM:
	case WS_VAR_RAND_LIMIT:
		return compile_draw(compiler, op, code);
	case WS_VAR_LIST:
		return compile_list(compiler, op, code);
	default:
		return fault(compiler, "there is no kind %d of variable", op->var_kind);
	}
}

static int compile_tuple(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = check_range(compiler, "addresses", op->min, op->max, 4);
	if (!error)
		error = check_range(compiler, "ports", op->min2, op->max2, 2);
	if (!error)
		error = assign(compiler, op->var, op->min, op->max);
	if (!error)
		error = assign(compiler, op->var2, op->min2, op->max2);
	if (error)
		return error;
	uint64_t addresses = op->max - op->min + 1, ports = op->max2 - op->min2 + 1;
	uint64_t flows = addresses * ports;
	if (op->limit && op->limit < flows)
		flows = op->limit;
	code->run = run_tuple;
	code->tuple = (struct tuple){
		.address_min = op->min,
		.addresses = addresses,
		.port_min = op->min2,
		.ports = ports,
		.flows = flows,
	};
	repeats_after(compiler, flows);
	return 0;
}

/* ---- writes and checksums */

static int check_span(const struct compiler *compiler, const char *what, uint32_t offset,
					  uint32_t size)
{
	uint16_t frame = compiler->program->frame_len;
	if (offset + size <= frame)
		return 0;
	return fault(compiler, "%s of %u bytes at offset %u ends beyond the packet of %u bytes", what,
				 size, offset, frame);
}

static int compile_write(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = check_assigned(compiler, op->var);
	if (!error)
		error = check_size(compiler, op->size);
	if (!error)
		error = check_span(compiler, "a field", op->offset, op->size);
	if (error)
		return error;
	bool masked = op->kind == WS_OP_WRITE_MASK;
	if (masked && (op->shift < -63 || op->shift > 63))
		return fault(compiler, "a shift by %d bits; -63 to 63 is possible", op->shift);
	code->run = masked          ? run_write_mask
				: op->size == 1 ? run_write8
				: op->size == 2 ? run_write16
				: op->size == 4 ? run_write32
								: run_write64;
	code->write = (struct write){
		.offset = op->offset,
		.size = op->size,
		.big_endian = op->big_endian,
		.add = (uint64_t)op->add,
		.mask = op->mask,
		.shift = op->shift,
	};
	return 0;
}

static int compile_trim(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = check_assigned(compiler, op->var);
	if (error)
		return error;
	if (compiler->max[op->var] > compiler->program->frame_len)
		return fault(compiler, "variable %u goes up to %lu, beyond the packet of %u bytes", op->var,
					 compiler->max[op->var], compiler->program->frame_len);
	compiler->program->keeps_length = false;
	code->run = run_trim;
	return 0;
}

static int compile_fix_ip4(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	code->run = run_fix_ip4;
	code->fix = (struct fix){.l3 = op->offset};
	return check_span(compiler, "an IPv4 header", op->offset, 20);
}

/* The IP version that the template has at `offset`; 0 when it has none there. */
static int ip_version(const struct ws_stream *stream, uint16_t offset)
{
	int version = offset < stream->packet_len ? stream->packet[offset] >> 4 : 0;
	return version == 4 || version == 6 ? version : 0;
}

struct l4_kind {
	int l4;
	uint8_t protocol, field, header; /* field: where the checksum is */
};

static const struct l4_kind *find_l4_kind(const struct ws_op *op)
{
	static const struct l4_kind icmp6 = {.protocol = 58, .field = 2, .header = 4};
	static const struct l4_kind kinds[] = {
		{WS_L4_UDP, 17, 6, 8}, {WS_L4_TCP, 6, 16, 20}, {WS_L4_IP, 0, 0, 0}};
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
	uint16_t header = version == 6 ? 40 : 20;
	if (!kind)
		return fault(compiler, "there is no L4 type %d; %d is UDP, %d TCP, %d IP alone", op->l4,
					 WS_L4_UDP, WS_L4_TCP, WS_L4_IP);
	if (!version)
		return fault(compiler, "the packet has no IP header at offset %u", op->l2_len);
	if (op->l3_len < header)
		return fault(compiler, "an IPv%d header of %u bytes; it has %u or more", version,
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

static int compile_one(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	code->var = (uint8_t)op->var;
	code->var2 = (uint8_t)op->var2;
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
		return fault(compiler, "there is no instruction %d", op->kind);
	}
}

struct program *program_compile(const struct ws_stream *stream, uint16_t frame_len, int *error)
{
	*error = 0;
	if (!stream->op_count)
		return NULL;
	struct program *program =
		calloc(1, sizeof(*program) + stream->op_count * sizeof(program->code[0]));
	if (!program) {
		*error = fail(-ENOMEM, "no memory for the program of stream %u", stream->id);
		return NULL;
	}
	struct compiler compiler = {.stream = stream, .program = program};
	program->period = 1;
	program->keeps_length = true;
	program->frame_len = frame_len;
	for (uint16_t i = 0; !*error && i < stream->op_count; i++) {
		compiler.index = i;
		*error = compile_one(&compiler, &stream->ops[i], &program->code[i]);
		program->count++;
	}
	if (!*error)
		return program;
	program_free(program);
	return NULL;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	for (uint16_t i = 0; i < program->count; i++)
		if (program->code[i].run == run_list)
			free(program->code[i].list.values);
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
