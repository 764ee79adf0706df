/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/program_code.h"
#include "wire/checksum.h"

#include <endian.h>
#include <string.h>

void program_run(struct program *program, uint8_t *const *packets, uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < program->count; i++)
		program->code[i].run(&program->code[i], program, packets, lengths, n);
}

/* ---- variables */

static inline uint64_t count_on(struct counter *counter)
{
	uint64_t now = counter->offset;
	counter->offset = now >= counter->room ? now - counter->room : now + counter->step;
	return now;
}

void run_count_up(struct code *code, struct program *program, uint8_t *const *packets,
				  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	for (uint16_t i = 0; i < n; i++)
		program->values[code->var][i] = code->counter.origin + count_on(&code->counter);
}

void run_count_down(struct code *code, struct program *program, uint8_t *const *packets,
					uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	for (uint16_t i = 0; i < n; i++)
		program->values[code->var][i] = code->counter.origin - count_on(&code->counter);
}

/* ---- chains: one by one, since each looks at what the one before it did */

static inline bool is_due(const struct code *code, const struct program *program, uint16_t i)
{
	return code->before < 0 || program->wraps[code->before] >> i & 1;
}

void run_chained_counter(struct code *code, struct program *program, uint8_t *const *packets,
						 uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct counter *counter = &code->counter;
	uint64_t wraps = 0;
	for (uint16_t i = 0; i < n; i++) {
		uint64_t offset = counter->offset;
		program->values[code->var][i] =
			code->counts_down ? counter->origin - offset : counter->origin + offset;
		if (is_due(code, program, i)) {
			wraps |= (uint64_t)(offset >= counter->room) << i;
			count_on(counter);
		}
	}
	program->wraps[code->var] = wraps;
}

static inline bool step_list(struct list *list)
{
	list->position += list->step;
	bool wraps = list->position >= list->count;
	list->position -= wraps ? list->count : 0;
	return wraps;
}

void run_chained_list(struct code *code, struct program *program, uint8_t *const *packets,
					  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct list *list = &code->list;
	uint64_t wraps = 0;
	for (uint16_t i = 0; i < n; i++) {
		program->values[code->var][i] = list->values[list->position];
		if (is_due(code, program, i))
			wraps |= (uint64_t)step_list(list) << i;
	}
	program->wraps[code->var] = wraps;
}

/* SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix, and every seed is a good one. */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void run_draw(struct code *code, struct program *program, uint8_t *const *packets,
			  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct draw *draw = &code->draw;
	for (uint16_t i = 0; i < n; i++) {
		uint64_t random = next_random(&draw->state);
		if (draw->range)
			random = (uint64_t)(((unsigned __int128)random * draw->range) >> 64);
		program->values[code->var][i] = draw->min + random;
		if (++draw->count == draw->limit) {
			draw->count = 0;
			draw->state = draw->seed;
		}
	}
}

void run_list(struct code *code, struct program *program, uint8_t *const *packets,
			  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct list *list = &code->list;
	for (uint16_t i = 0; i < n; i++) {
		program->values[code->var][i] = list->values[list->position];
		step_list(list);
	}
}

void run_tuple(struct code *code, struct program *program, uint8_t *const *packets,
			   uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct tuple *tuple = &code->tuple;
	for (uint16_t i = 0; i < n; i++) {
		program->values[code->var][i] = tuple->address_min + tuple->address;
		program->values[code->var2][i] = tuple->port_min + tuple->port;
		if (++tuple->flow == tuple->flows) {
			tuple->flow = tuple->address = tuple->port = 0;
		} else if (++tuple->address == tuple->addresses) {
			tuple->address = 0;
			if (++tuple->port == tuple->ports)
				tuple->port = 0;
		}
	}
}

/* ---- writes */

void run_write8(struct code *code, struct program *program, uint8_t *const *packets,
				uint16_t *lengths, uint16_t n)
{
	(void)lengths;
	const struct write *write = &code->write;
	for (uint16_t i = 0; i < n; i++)
		packets[i][write->offset] = (uint8_t)(program->values[code->var][i] + write->add);
}

#define RUN_WRITE(bits)                                                                            \
	void run_write##bits(struct code *code, struct program *program, uint8_t *const *packets,      \
						 uint16_t *lengths, uint16_t n)                                            \
	{                                                                                              \
		(void)lengths;                                                                             \
		const struct write *write = &code->write;                                                  \
		const uint64_t *values = program->values[code->var];                                       \
		uint16_t offset = write->offset;                                                           \
		uint64_t add = write->add;                                                                 \
		if (write->big_endian)                                                                     \
			for (uint16_t i = 0; i < n; i++) {                                                     \
				uint##bits##_t field = htobe##bits((uint##bits##_t)(values[i] + add));             \
				memcpy(packets[i] + offset, &field, sizeof(field));                                \
			}                                                                                      \
		else                                                                                       \
			for (uint16_t i = 0; i < n; i++) {                                                     \
				uint##bits##_t field = htole##bits((uint##bits##_t)(values[i] + add));             \
				memcpy(packets[i] + offset, &field, sizeof(field));                                \
			}                                                                                      \
	}

RUN_WRITE(16)
RUN_WRITE(32)
RUN_WRITE(64)

static uint64_t load(const uint8_t *at, uint8_t size, bool big_endian)
{
	uint64_t value = 0;
	for (uint8_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (big_endian ? size - 1 - i : i);
	return value;
}

static void store(uint8_t *at, uint8_t size, bool big_endian, uint64_t value)
{
	for (uint8_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}

void run_write_mask(struct code *code, struct program *program, uint8_t *const *packets,
					uint16_t *lengths, uint16_t n)
{
	(void)lengths;
	const struct write *write = &code->write;
	for (uint16_t i = 0; i < n; i++) {
		uint8_t *at = packets[i] + write->offset;
		uint64_t value = program->values[code->var][i] + write->add;
		value = write->shift >= 0 ? value << write->shift : value >> -write->shift;
		uint64_t field = load(at, write->size, write->big_endian);
		store(at, write->size, write->big_endian, (field & ~write->mask) | (value & write->mask));
	}
}

void run_trim(struct code *code, struct program *program, uint8_t *const *packets,
			  uint16_t *lengths, uint16_t n)
{
	(void)packets;
	for (uint16_t i = 0; i < n; i++) {
		uint64_t length = program->values[code->var][i];
		length = length < FRAME_MIN_LEN ? FRAME_MIN_LEN : length;
		lengths[i] = (uint16_t)(length < program->frame_len ? length : program->frame_len);
	}
}

/* ---- checksums */

enum { IP4_TOTAL_LENGTH_AT = 2, IP4_CHECKSUM_AT = 10, IP4_ADDRESSES_AT = 12, IP4_ADDRESSES = 8 };
enum { IP6_PAYLOAD_LENGTH_AT = 4, IP6_HEADER = 40, IP6_ADDRESSES_AT = 8, IP6_ADDRESSES = 32 };
enum { UDP = 17 };

static uint16_t get_checksum(const uint8_t *at)
{
	uint16_t field;
	memcpy(&field, at, sizeof(field));
	return field;
}

/* `sum` is over everything, the field at `at` with what it holds now too: its complement takes that
 * out again. Setting the field to 0 first would make the sum wait for that store. */
static uint16_t finish_checksum(uint64_t sum, const uint8_t *at)
{
	return (uint16_t)~checksum_fold(sum + (uint16_t)~get_checksum(at));
}

static void put_checksum(uint8_t *at, uint16_t field)
{
	memcpy(at, &field, sizeof(field));
}

/* A header length that does not fit the frame leaves the packet as it is. */
static void fix_ip4(uint8_t *packet, uint16_t l3, uint16_t frame_len)
{
	uint8_t *ip = packet + l3, *field = ip + IP4_CHECKSUM_AT;
	uint16_t header = (uint16_t)((ip[0] & 0xf) * 4);
	if (l3 + header > frame_len || header < 20)
		return;
	/* Without options, nearly always, the length is known and the sum is unrolled. */
	uint64_t sum = header == 20 ? checksum_add(0, ip, 20) : checksum_add(0, ip, header);
	put_checksum(field, finish_checksum(sum, field));
}

void run_fix_ip4(struct code *code, struct program *program, uint8_t *const *packets,
				 uint16_t *lengths, uint16_t n)
{
	(void)lengths;
	for (uint16_t i = 0; i < n; i++)
		fix_ip4(packets[i], code->fix.l3, program->frame_len);
}

/* The pseudo header's addresses and length, of IPv4 (RFC 793, 768) or IPv6 (RFC 8200 section 8.1).
 */
static uint64_t pseudo_header(const uint8_t *ip, const struct fix *fix, uint16_t l4_len)
{
	uint64_t sum = fix->is_ip4 ? checksum_add(0, ip + IP4_ADDRESSES_AT, IP4_ADDRESSES)
							   : checksum_add(0, ip + IP6_ADDRESSES_AT, IP6_ADDRESSES);
	return sum + htobe16(l4_len) + htobe16(fix->protocol);
}

/* What the IP header says is in the packet, but not beyond the packet's end. */
static uint16_t l4_length(const uint8_t *ip, const struct fix *fix, uint16_t length)
{
	uint32_t claimed = fix->is_ip4
						   ? (uint32_t)load(ip + IP4_TOTAL_LENGTH_AT, 2, true)
						   : (uint32_t)load(ip + IP6_PAYLOAD_LENGTH_AT, 2, true) + IP6_HEADER;
	uint32_t end = fix->l3 + claimed < length ? fix->l3 + claimed : length;
	return (uint16_t)(end > fix->l4 ? end - fix->l4 : 0);
}

static void fix_l4(uint8_t *packet, const struct fix *fix, uint16_t length, uint16_t frame_len)
{
	const uint8_t *ip = packet + fix->l3;
	if (fix->is_ip4)
		fix_ip4(packet, fix->l3, frame_len);
	if (!fix->protocol)
		return;
	uint8_t *l4 = packet + fix->l4;
	uint16_t l4_len = l4_length(ip, fix, length);
	if (l4_len < fix->field + sizeof(uint16_t))
		return;
	uint64_t sum = checksum_add(pseudo_header(ip, fix, l4_len), l4, l4_len);
	uint16_t result = finish_checksum(sum, l4 + fix->field);
	/* UDP says "no checksum" with 0 and sends the other zero instead (RFC 768). */
	put_checksum(l4 + fix->field, fix->protocol == UDP && !result ? 0xffff : result);
}

void run_fix_l4(struct code *code, struct program *program, uint8_t *const *packets,
				uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		fix_l4(packets[i], &code->fix, lengths[i], program->frame_len);
}
