/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checksums computed from the fields that a program writes, without reading the packet.
 *
 * All packets of a stream share the bytes that the program does not write. So the compiler sums up
 * that part of each checksum over the template once, and per packet the written fields are added to
 * it. A sum over the packet itself would also wait for the stores right before it. This is done for
 * checksums after the last write, if no write changes a field that determines which bytes the
 * checksum covers. Other programs sum up each packet, see program_run.c.
 *
 * Most programs write an address or two, perhaps a port, and the checksum of the IPv4 header:
 * program_sum_run.c does that for eight packets at once.
 */
#include "generator/program/program_sum.h"
#include "dev/error.h"
#include "generator/program/program_compiler.h"
#include "wire/checksum.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- per packet */

/* Sums of up to 8 fields of 17 bits, moved by 8 bits, stay within 32. */
#define ADD_TERM(bits, order)                                                                      \
	static void add_##order##bits(uint32_t *sums, const uint64_t *values, const struct term *term, \
								  uint16_t n)                                                      \
	{                                                                                              \
		uint64_t add = term->add;                                                                  \
		int shift = term->odd ? 8 : 0;                                                             \
		for (uint16_t i = 0; i < n; i++)                                                           \
			sums[i] += fold##bits(hto##order##bits((uint##bits##_t)(values[i] + add))) << shift;   \
	}

static inline uint32_t fold8(uint8_t field)
{
	return field;
}

static inline uint32_t fold16(uint16_t field)
{
	return field;
}

static inline uint32_t fold32(uint32_t field)
{
	return (field & 0xffff) + (field >> 16);
}

static inline uint32_t fold64(uint64_t field)
{
	return checksum_fold(field);
}

#define htobe8(value) (value)
ADD_TERM(8, be)
ADD_TERM(16, be)
ADD_TERM(32, be)
ADD_TERM(64, be)
ADD_TERM(16, le)
ADD_TERM(32, le)
ADD_TERM(64, le)

static void add_term(uint32_t *sums, const struct term *term, const struct program *program,
					 uint16_t n)
{
	const uint64_t *values = program->values[term->var];
	switch (term->size) {
	case 1:
		add_be8(sums, values, term, n);
		return;
	case 2:
		(term->big_endian ? add_be16 : add_le16)(sums, values, term, n);
		return;
	case 4:
		(term->big_endian ? add_be32 : add_le32)(sums, values, term, n);
		return;
	default:
		(term->big_endian ? add_be64 : add_le64)(sums, values, term, n);
	}
}

static void put_sums(const struct sum *sum, const uint32_t *sums, uint8_t *const *packets,
					 uint16_t n)
{
	uint16_t fields[PROGRAM_BATCH], offset = sum->field;
	/* In UDP 0 means "no checksum", so a checksum of 0 is sent as 0xffff (RFC 768). */
	uint16_t zero = sum->is_udp ? 0xffff : 0;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t folded = (sums[i] & 0xffff) + (sums[i] >> 16);
		uint16_t field = (uint16_t) ~(folded + (folded >> 16));
		fields[i] = field ? field : zero;
	}
	for (uint16_t i = 0; i < n; i++)
		memcpy(packets[i] + offset, &fields[i], sizeof(fields[i]));
}

#ifdef HAS_LEVELS
static write_and_sum_fn *const write_and_sum_fns[] = {write_and_sum_1, write_and_sum_2,
													  write_and_sum_3, write_and_sum_4};
#else
static write_and_sum_fn *const write_and_sum_fns[] = {write_and_sum_1};
#endif
static write_and_sum_fn *write_and_sum = write_and_sum_1;

void program_use_march(int level)
{
	write_and_sum = write_and_sum_fns[level - 1];
	draw_use_march(level);
}

void run_sums(struct code *code, struct program *program, uint8_t *const *packets,
			  uint16_t *lengths, uint16_t n)
{
	(void)lengths;
	const struct sums *all = code->sums;
	if (all->along)
		write_and_sum(all, program, packets, n);
	for (uint8_t i = all->along; i < all->count; i++) {
		const struct sum *sum = &all->sums[i];
		uint32_t sums[PROGRAM_BATCH];
		for (uint16_t j = 0; j < n; j++)
			sums[j] = sum->base;
		for (uint8_t j = 0; j < sum->term_count; j++)
			add_term(sums, &sum->terms[j], program, n);
		put_sums(sum, sums, packets, n);
	}
}

/* ---- once */

static bool overlap(struct span a, struct span b)
{
	return a.start < b.end && b.start < a.end;
}

static bool holds(struct span outer, struct span inner)
{
	return outer.start <= inner.start && inner.end <= outer.end;
}

bool program_is_plain(const struct program *program)
{
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		if (code->run == run_write_mask || code->run == run_trim)
			return false;
		for (uint16_t j = 0; code_writes(code) && j < i; j++)
			if (code_writes(&program->code[j]) &&
				overlap(code_written(code), code_written(&program->code[j])))
				return false;
	}
	return true;
}

/* True if no write follows the checksum or changes the bytes of `fixed`. */
static bool leaves_alone(const struct program *program, uint16_t fix, struct span fixed)
{
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		if (code_writes(code) && (i > fix || overlap(code_written(code), fixed)))
			return false;
	}
	return true;
}

/* Add the bytes of `part`, which start at an even byte of the sum, except for written fields: these
 * become terms. False if a field is only partly inside, or there are too many fields. */
static bool add_part(struct sum *sum, const struct program *program, const uint8_t *template,
					 struct span part)
{
	uint8_t bytes[UINT16_MAX];
	memcpy(bytes, template + part.start, (size_t)(part.end - part.start));
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		struct span field = code_writes(code) ? code_written(code) : (struct span){0};
		if (!code_writes(code) || !overlap(field, part))
			continue;
		if (!holds(part, field) || sum->term_count == MAX_TERMS)
			return false;
		memset(bytes + field.start - part.start, 0, code->write.size);
		sum->terms[sum->term_count++] = (struct term){
			.add = code->write.add,
			.at = field.start,
			.var = code->var,
			.size = code->write.size,
			.big_endian = code->write.big_endian,
			.odd = (field.start - part.start) & 1,
		};
	}
	if (part.start <= sum->field && sum->field < part.end)
		memset(bytes + sum->field - part.start, 0, sizeof(uint16_t));
	sum->base = checksum_fold(checksum_add(sum->base, bytes, (size_t)(part.end - part.start)));
	return true;
}

static bool sum_ip4(struct sums *sums, const struct program *program, uint16_t fix,
					const uint8_t *template)
{
	uint16_t l3 = program->code[fix].fix.l3, header = (uint16_t)((template[l3] & 0xf) * 4);
	struct sum *sum = &sums->sums[sums->count++];
	struct span length = {l3, (uint16_t)(l3 + 1)};
	struct span field = {(uint16_t)(l3 + IP4_CHECKSUM_AT), (uint16_t)(l3 + IP4_CHECKSUM_AT + 2)};
	*sum = (struct sum){.field = field.start};
	return header >= IP4_LEN && l3 + header <= program->frame_len &&
		   leaves_alone(program, fix, length) && leaves_alone(program, fix, field) &&
		   add_part(sum, program, template, (struct span){l3, (uint16_t)(l3 + header)});
}

static bool sum_l4(struct sums *sums, const struct program *program, uint16_t fix,
				   const uint8_t *template)
{
	const struct fix *what = &program->code[fix].fix;
	uint16_t l4_len = fix_l4_length(template + what->l3, what, program->frame_len);
	uint16_t addresses = what->l3 + (what->is_ip4 ? IP4_ADDRESSES_AT : IP6_ADDRESSES_AT);
	uint16_t length = what->l3 + (what->is_ip4 ? IP4_TOTAL_LENGTH_AT : IP6_PAYLOAD_LENGTH_AT);
	uint16_t field = what->l4 + what->field;
	struct sum *sum = &sums->sums[sums->count++];
	*sum = (struct sum){
		.base = (uint32_t)htobe16(l4_len) + htobe16(what->protocol),
		.field = field,
		.is_udp = what->protocol == IP4_UDP,
	};
	return l4_len >= what->field + sizeof(uint16_t) &&
		   leaves_alone(program, fix, (struct span){length, length + 2}) &&
		   leaves_alone(program, fix, (struct span){field, field + 2}) &&
		   add_part(sum, program, template,
					(struct span){addresses, addresses + (what->is_ip4 ? IP4_ADDRESSES_LEN
																	   : IP6_ADDRESSES_LEN)}) &&
		   add_part(sum, program, template, (struct span){what->l4, what->l4 + l4_len});
}

/* The fields of the sum, if they are one or two fields of 32 bits in network order. */
static uint8_t fields_to_write(const struct sum *sum, struct term *fields)
{
	for (uint8_t i = 0; i < sum->term_count; i++) {
		const struct term *term = &sum->terms[i];
		if (i == 2 || term->size != 4 || !term->big_endian || term->odd)
			return 0;
		fields[i] = *term;
	}
	return sum->term_count;
}

/* True if this field is written along with the sum; an additional field of two bytes, such as a
 * port, is accepted if there is none yet. */
static bool is_written_along(struct sums *sums, const struct code *code)
{
	const struct write *write = &code->write;
	for (uint8_t i = 0; i < sums->written_count; i++)
		if (write->offset == sums->written[i].at)
			return true;
	if (sums->written_count > 1 || write->size != 2 || !write->big_endian)
		return false;
	sums->written[sums->written_count++] =
		(struct term){.add = write->add, .at = write->offset, .var = code->var, .size = 2};
	return true;
}

/* Number of sums that consist of the fields written along, none of them at an odd byte. */
static uint8_t count_along(struct sums *sums)
{
	const struct sum *second = &sums->sums[1];
	uint8_t known = 0;
	for (uint8_t i = 0; sums->count == 2 && i < second->term_count; i++)
		for (uint8_t j = 0; j < sums->written_count; j++)
			if (second->terms[i].at == sums->written[j].at && !second->terms[i].odd) {
				sums->masks[j] = UINT32_MAX;
				known++;
			}
	return sums->count == 2 && known == second->term_count ? 2 : 1;
}

/* Remove the instructions for these writes; returns their number. */
static uint16_t take_over_writes(struct program *program, struct sums *sums)
{
	uint16_t kept = 0;
	for (uint16_t i = 0; i < program->count; i++) {
		const struct code *code = &program->code[i];
		if (!code_writes(code) || !is_written_along(sums, code))
			program->code[kept++] = *code;
	}
	uint16_t taken_over = program->count - kept;
	program->count = kept;
	sums->along = count_along(sums);
	return taken_over;
}

static int compile_fix(struct program *program, uint16_t fix, const uint8_t *template)
{
	struct code *code = &program->code[fix];
	struct sums sums = {0};
	bool ip4 = code->run == run_fix_ip4, l4 = code->run == run_fix_l4, known = ip4 || l4;
	if (ip4 || (l4 && code->fix.is_ip4))
		known = sum_ip4(&sums, program, fix, template);
	if (known && l4 && code->fix.protocol)
		known = sum_l4(&sums, program, fix, template);
	if (!known)
		return 0;
	sums.written_count = fields_to_write(&sums.sums[0], sums.written);
	struct sums *kept = malloc(sizeof(*kept));
	if (!kept)
		return fail(-ENOMEM, "no memory for the checksums of a program");
	*kept = sums;
	code->sums = kept;
	code->run = run_sums;
	return 0;
}

int compile_sums(struct program *program, const uint8_t *template)
{
	int error = 0;
	for (uint16_t i = 0; !error && program_is_plain(program) && i < program->count; i++)
		error = compile_fix(program, i, template);
	return error;
}

void compile_taken_over(struct program *program)
{
	/* Code that sums up the packet itself must run after the earlier writes. */
	bool first = true;
	for (uint16_t i = 0; i < program->count; i++) {
		struct code *code = &program->code[i];
		if (code->run == run_fix_ip4 || code->run == run_fix_l4)
			first = false;
		if (code->run != run_sums)
			continue;
		if (first && code->sums->written_count)
			i -= take_over_writes(program, code->sums);
		first = false;
	}
}
