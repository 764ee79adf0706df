/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the instructions that advance variables. */
#include "dev/error.h"
#include "generator/program/program_compiler.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_UNLIMITED_PORT = 1025 };

static uint64_t largest(uint8_t size)
{
	return size == 8 ? UINT64_MAX : (1ULL << 8 * size) - 1;
}

int compiler_check_size(const struct compiler *compiler, uint8_t size)
{
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return 0;
	return compiler_fault(compiler, "a size of %u bytes; 1, 2, 4 and 8 are possible", size);
}

static int assign(struct compiler *compiler, uint16_t var, uint8_t size, uint64_t min, uint64_t max)
{
	if (var >= VARIABLES)
		return compiler_fault(compiler, "there is no variable %u; they are numbered 0 to %d", var,
							  VARIABLES - 1);
	if (compiler->assigned & 1ULL << var)
		return compiler_fault(compiler, "variable %u is advanced by an earlier instruction already",
							  var);
	compiler->assigned |= 1ULL << var;
	compiler->size[var] = size;
	compiler->min[var] = min;
	compiler->max[var] = max;
	return 0;
}

int compiler_check_assigned(const struct compiler *compiler, uint16_t var)
{
	if (var < VARIABLES && compiler->assigned & 1ULL << var)
		return 0;
	return compiler_fault(
		compiler, "variable %u has no value yet: advance it in an earlier instruction", var);
}

static int check_range(const struct compiler *compiler, const char *what, uint64_t min,
					   uint64_t max, uint8_t size)
{
	if (min > max)
		return compiler_fault(
			compiler, "%s from %lu to %lu: the first must not be above the second", what, min, max);
	if (max > largest(size))
		return compiler_fault(compiler, "%s up to %lu; %u bytes hold at most %lu", what, max, size,
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

/* The variable repeats after so many steps. Steps are packets, or wraps of the variable that
 * advances it. The program repeats when all its variables do. */
static void repeats_after(struct compiler *compiler, const struct code *code, uint64_t steps)
{
	uint64_t *period = &compiler->program->period, packets = steps, product;
	if (code->before >= 0 &&
		__builtin_mul_overflow(compiler->period[code->before], steps, &packets))
		packets = UINT64_MAX;
	if (code->var < VARIABLES)
		compiler->period[code->var] = packets;
	if (*period == UINT64_MAX || packets == UINT64_MAX ||
		__builtin_mul_overflow(*period / greatest_divisor(*period, packets), packets, &product))
		product = UINT64_MAX;
	*period = product;
}

/*
 * A widened range that exceeds the variable's size. T-Rex truncates its end and the value before
 * the first one, and then counts through all values of that size.
 */
static int compile_overflow(struct compiler *compiler, const struct ws_op *op, struct code *code,
							uint64_t widened_max)
{
	uint64_t mask = largest(op->size), left = op->init - op->min;
	uint64_t before = op->step <= left ? op->init - op->step : widened_max - (op->step - left - 1);
	code->run = run_overflow;
	code->overflow = (struct overflow){
		.min = op->min,
		.max = widened_max & mask,
		.step = op->step,
		.mask = mask,
		.value = before & mask,
	};
	repeats_after(compiler, code, UINT64_MAX);
	return assign(compiler, op->var, op->size, 0, mask);
}

static uint64_t step_of(const struct ws_op *op)
{
	return op->step ? op->step : 1;
}

/* The number of values by which the range grows, so that the step divides it. */
static uint64_t widening(const struct ws_op *op)
{
	uint64_t step = step_of(op), range = op->max - op->min + 1;
	/* Steps that are powers of two divide 2^64. */
	uint64_t rest = range ? range % step : (UINT64_MAX % step + 1) % step;
	return rest ? step - rest : 0;
}

/* True if the widened range exceeds the variable's size. */
static bool counter_overflows(const struct ws_op *op)
{
	return op->var_kind == WS_VAR_INC && op->max + widening(op) > largest(op->size);
}

static bool advances_alone(const struct ws_stream *stream, const struct ws_op *variable)
{
	if (variable->has_next)
		return false;
	for (uint16_t i = 0; i < stream->op_count; i++) {
		const struct ws_op *op = &stream->ops[i];
		if (op->kind == WS_OP_VAR && op->has_next && op->next_var == variable->var)
			return false;
	}
	return true;
}

/* Tuples and limited random values continue from the previous packet, and chains must see each
 * wrap. */
bool program_spreads(const struct ws_stream *stream)
{
	for (uint16_t i = 0; i < stream->op_count; i++) {
		const struct ws_op *op = &stream->ops[i];
		if (op->kind == WS_OP_TUPLE)
			return false;
		if (op->kind == WS_OP_VAR && (op->var_kind == WS_VAR_RAND_LIMIT ||
									  !advances_alone(stream, op) || counter_overflows(op)))
			return false;
	}
	return true;
}

/*
 * The range is widened to a multiple of the step, as in T-Rex: upwards when counting up, downwards
 * when counting down. It must fit into 64 bits.
 */
static int compile_counter(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool up = op->var_kind == WS_VAR_INC;
	uint64_t step = step_of(op), range = op->max - op->min + 1;
	if (op->init < op->min || op->init > op->max)
		return compiler_fault(compiler, "a first value of %lu; %lu to %lu is possible", op->init,
							  op->min, op->max);
	uint64_t widen = widening(op);
	uint64_t offset = up ? op->init - op->min : op->max - op->init;
	/* The greatest distance from the origin. */
	uint64_t farthest = range - 1 + widen - (step - 1 - offset % step);
	uint64_t bound = up ? UINT64_MAX - op->min : op->max;
	if (range - 1 > UINT64_MAX - widen || farthest > bound)
		return compiler_fault(compiler, "steps of %lu leave the range %lu to %lu", step, op->min,
							  op->max);
	range += widen;
	if (counter_overflows(op))
		return compile_overflow(compiler, op, code, op->max + widen);
	bool chained = op->has_next || code->before >= 0;
	uint64_t room = range - step;
	if (chained) /* they hold the value before the first one */
		offset = offset >= step ? offset - step : offset + room;
	code->run = chained ? run_chained_counter : up ? run_count_up : run_count_down;
	code->counts_down = !up;
	code->counter = (struct counter){
		.origin = up ? op->min : op->max,
		.offset = offset,
		.step = step,
		.room = room,
	};
	if (!chained)
		spread_counter(&code->counter, range, compiler->part);
	step = code->counter.step;
	repeats_after(compiler, code, range ? range / greatest_divisor(range, step) : UINT64_MAX);
	return up ? assign(compiler, op->var, op->size, op->min, op->min + farthest)
			  : assign(compiler, op->var, op->size, op->max - farthest, op->max);
}

static int compile_draw(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	bool limited = op->var_kind == WS_VAR_RAND_LIMIT;
	bool in_order = op->has_next || code->before >= 0;
	if (limited && !op->limit)
		return compiler_fault(compiler,
							  "a repeating list of no random values; 1 or more are possible");
	code->run = in_order ? run_draw_in_order : run_draw;
	code->draw = (struct draw){.min = op->min, .seed = op->seed, .limit = limited ? op->limit : 0};
	draw_set_up(&code->draw, op->size, op->max - op->min + 1);
	int error = assign(compiler, op->var, op->size, op->min, op->max);
	if (error)
		return error;
	repeats_after(compiler, code, limited ? op->limit : UINT64_MAX);
	compiler->program->in_order |= in_order;
	compiler->program->values[op->var][0] = op->min; /* until it is due */
	return 0;
}

static int compile_list(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	uint64_t min = UINT64_MAX, max = 0;
	if (!op->list_count)
		return compiler_fault(compiler, "an empty list of values");
	for (uint32_t i = 0; i < op->list_count; i++) {
		min = op->list[i] < min ? op->list[i] : min;
		max = op->list[i] > max ? op->list[i] : max;
	}
	int error = check_range(compiler, "values", min, max, op->size);
	if (error)
		return error;
	error = assign(compiler, op->var, op->size, min, max);
	if (error)
		return error;
	uint64_t *values = malloc(op->list_count * sizeof(*values));
	if (!values)
		return fail(-ENOMEM, "stream %u: no memory for a list of %u values", compiler->stream->id,
					op->list_count);
	memcpy(values, op->list, op->list_count * sizeof(*values));
	bool chained = op->has_next || code->before >= 0;
	if (op->var_kind == WS_VAR_RANDOM_LIST) {
		code->run = chained ? run_draw_in_order : run_draw;
		code->draw = (struct draw){.values = values};
		draw_set_up(&code->draw, sizeof(uint8_t), op->list_count);
		repeats_after(compiler, code, UINT64_MAX);
		compiler->program->in_order |= chained;
	} else {
		uint32_t step = (uint32_t)((op->step ? op->step : 1) % op->list_count);
		code->run = chained ? run_chained_list : run_list;
		code->list = (struct list){.values = values, .count = op->list_count, .step = step};
		code->list.position = chained && step ? op->list_count - step : 0;
		if (!chained)
			spread_list(&code->list, compiler->part);
		repeats_after(compiler, code,
					  op->list_count / greatest_divisor(op->list_count, code->list.step));
	}
	compiler->program->values[op->var][0] = values[op->list_count - 1]; /* until it is due */
	return 0;
}

int compile_variable(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = compiler_check_size(compiler, op->size);
	if (!error && op->var_kind != WS_VAR_LIST && op->var_kind != WS_VAR_RANDOM_LIST)
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
	case WS_VAR_RANDOM_LIST:
		return compile_list(compiler, op, code);
	default:
		return compiler_fault(compiler, "there is no kind %d of variable", op->var_kind);
	}
}

int compile_tuple(struct compiler *compiler, const struct ws_op *op, struct code *code)
{
	int error = check_range(compiler, "addresses", op->min, op->max, 4);
	if (!error)
		error = check_range(compiler, "ports", op->min2, op->max2, 2);
	uint64_t first = op->min2, lowest = op->min2, highest = op->max2;
	if (!error && op->unlimited) {
		first = op->max2 < UINT16_MAX ? op->max2 + 1 : FIRST_UNLIMITED_PORT;
		lowest = first < FIRST_UNLIMITED_PORT ? first : FIRST_UNLIMITED_PORT;
		highest = UINT16_MAX;
	}
	if (!error)
		error = assign(compiler, op->var, sizeof(uint32_t), op->min, op->max);
	if (!error)
		error = assign(compiler, op->var2, sizeof(uint16_t), lowest, highest);
	if (error)
		return error;
	uint64_t addresses = op->max - op->min + 1, ports = highest - lowest + 1;
	uint64_t flows = op->limit ? op->limit : addresses * ports;
	code->run = run_tuple;
	code->tuple = (struct tuple){
		.address_min = op->min,
		.addresses = addresses,
		.port_min = lowest,
		.ports = ports,
		.port = first - lowest,
		.port_again = op->unlimited ? FIRST_UNLIMITED_PORT - lowest : 0,
		.flows = op->unlimited ? 0 : flows,
	};
	bool repeats = !op->unlimited || lowest == FIRST_UNLIMITED_PORT;
	repeats_after(compiler, code,
				  op->unlimited && repeats ? addresses * ports
				  : repeats                ? flows
										   : UINT64_MAX);
	return 0;
}
