/* SPDX-License-Identifier: Apache-2.0 */
/* Making one instruction of what a program writes. */
#include "generator/program/program_merge.h"

#include "dev/error.h"
#include "generator/program/program_compiler.h"
#include "generator/program/program_sum.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int march = 1;

void program_use_march(int level)
{
	march = level;
	draw_use_march(level);
}

#ifdef HAS_LEVELS
static code_fn *const merge_fns[] = {NULL, run_merge_2, run_merge_3, run_merge_4};
#else
static code_fn *const merge_fns[] = {NULL};
#endif

bool code_merges(const struct code *code)
{
	for (size_t i = 1; i < sizeof(merge_fns) / sizeof(merge_fns[0]); i++)
		if (code->run == merge_fns[i])
			return true;
	return false;
}

static int add_field(struct merge *merge, const struct code *code)
{
	const struct write *write = &code->write;
	if (merge->field_count == MERGE_FIELDS || write->size > sizeof(uint32_t))
		return -1;
	merge->fields[merge->field_count] = (struct merge_field){
		.var = code->var,
		.size = write->size,
		.little_endian = !write->big_endian && write->size > 1,
		.add = (uint32_t)write->add,
	};
	return merge->field_count++;
}

/* The bytes of `span` in the packet are bytes of the sources, from `last` on downwards. */
static void place_bytes(struct merge *merge, struct span span, uint8_t last)
{
	for (uint8_t i = 0; i < merge->vector_count; i++)
		for (uint16_t at = span.start; at < span.end; at++)
			if (merge->at[i] <= at && at < merge->at[i] + MERGE_VECTOR) {
				merge->control[i][at - merge->at[i]] = (uint8_t)(last - (at - span.start));
				merge->base[i][at - merge->at[i]] = 0;
			}
}

struct merge_plan {
	struct merge merge;
	uint16_t fields_at[MERGE_FIELDS], sums_at[MERGE_SUMS]; /* in the packet */
	struct span spans[MERGE_FIELDS + MERGE_SUMS];
	uint8_t last[MERGE_FIELDS + MERGE_SUMS]; /* of each span: the source of its first byte */
	uint8_t span_count;
};

static void add_span(struct merge_plan *plan, struct span span, uint8_t last)
{
	plan->spans[plan->span_count] = span;
	plan->last[plan->span_count++] = last;
}

static bool plan_fields(struct merge_plan *plan, const struct program *program)
{
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		if (!code_writes(code))
			continue;
		int field = add_field(&plan->merge, code);
		if (field < 0)
			return false;
		plan->fields_at[field] = code->write.offset;
		add_span(plan, code_written(code), (uint8_t)(4 * field + code->write.size - 1));
	}
	return plan->merge.field_count;
}

static bool plan_sum(struct merge_plan *plan, const struct sum *sum)
{
	struct merge *merge = &plan->merge;
	for (uint8_t i = 0; i < merge->sum_count; i++)
		if (plan->sums_at[i] == sum->field)
			return true; /* an IPv4 header's, asked for twice */
	if (merge->sum_count == MERGE_SUMS)
		return false;
	struct merge_sum *to = &merge->sums[merge->sum_count];
	plan->sums_at[merge->sum_count] = sum->field;
	to->base = be16toh((uint16_t)sum->base);
	to->zero = sum->is_udp ? 0xffff : 0;
	for (uint8_t i = 0; i < sum->term_count; i++)
		for (uint8_t j = 0; j < merge->field_count; j++)
			if (plan->fields_at[j] == sum->terms[i].at) {
				uint8_t size = merge->fields[j].size;
				/* A byte alone at an even place is the upper half of its word. */
				bool upper = size == 1 ? !sum->terms[i].odd : sum->terms[i].odd;
				to->terms[j].mask = size == sizeof(uint32_t) ? UINT32_MAX : (1u << 8 * size) - 1;
				to->terms[j].shift = upper ? 8 : 0;
			}
	uint8_t lane = MERGE_SOURCES - sizeof(uint32_t);
	add_span(plan, (struct span){sum->field, (uint16_t)(sum->field + 2)},
			 (uint8_t)(lane + 2 * merge->sum_count + 1));
	merge->sum_count++;
	return true;
}

/* Any other instruction than these and those that advance variables sums up the packet itself. */
static bool plan_sums(struct merge_plan *plan, const struct program *program)
{
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		if (code->run == run_fix_ip4 || code->run == run_fix_l4)
			return false;
		for (uint8_t j = 0; code->run == run_sums && j < code->sums->count; j++)
			if (!plan_sum(plan, &code->sums->sums[j]))
				return false;
	}
	return true;
}

/* The vectors that hold all spans, without a byte behind the packet's end. */
static bool plan_vectors(struct merge_plan *plan, uint16_t frame_len)
{
	struct merge *merge = &plan->merge;
	uint32_t left = (1u << plan->span_count) - 1;
	if (frame_len < MERGE_VECTOR)
		return false;
	for (; left && merge->vector_count < MERGE_VECTORS; merge->vector_count++) {
		uint16_t at = frame_len - MERGE_VECTOR;
		for (uint8_t i = 0; i < plan->span_count; i++)
			if (left >> i & 1 && plan->spans[i].start < at)
				at = plan->spans[i].start;
		for (uint8_t i = 0; i < plan->span_count; i++)
			if (plan->spans[i].start >= at && plan->spans[i].end <= at + MERGE_VECTOR)
				left &= ~(1u << i);
		merge->at[merge->vector_count] = at;
	}
	return !left;
}

static void fill_vectors(struct merge_plan *plan, const uint8_t *template)
{
	struct merge *merge = &plan->merge;
	memset(merge->control, MERGE_NO_SOURCE, sizeof(merge->control));
	for (uint8_t i = 0; i < merge->vector_count; i++)
		memcpy(merge->base[i], template + merge->at[i], MERGE_VECTOR);
	for (uint8_t i = 0; i < plan->span_count; i++)
		place_bytes(merge, plan->spans[i], plan->last[i]);
}

/* In place of all writes and checksums. */
static void put_merge(struct program *program, struct merge *merge)
{
	uint16_t kept = 0;
	for (uint16_t i = 0; i < program->count; i++) {
		if (program->code[i].run == run_sums)
			free(program->code[i].sums);
		else if (!code_writes(&program->code[i]))
			program->code[kept++] = program->code[i];
	}
	program->code[kept++] = (struct code){.run = merge_fns[march - 1], .merge = merge};
	program->count = kept;
}

int compile_merge(struct program *program, const uint8_t *template)
{
	struct merge_plan plan = {0};
	if (!merge_fns[march - 1] || !plan_fields(&plan, program) || !plan_sums(&plan, program) ||
		!plan_vectors(&plan, program->frame_len))
		return 0;
	fill_vectors(&plan, template);
	struct merge *merge = malloc(sizeof(*merge));
	if (!merge)
		return fail(-ENOMEM, "no memory for what a program writes");
	*merge = plan.merge;
	put_merge(program, merge);
	return 0;
}
