/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/program/program_code.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

#include <endian.h>
#include <string.h>

static void run_codes(struct program *program, uint8_t *const *packets, uint16_t *lengths,
					  uint16_t n)
{
	for (uint16_t i = 0; i < program->count; i++)
		program->code[i].run(&program->code[i], program, packets, lengths, n);
}

void program_run(struct program *program, uint8_t *const *packets, uint16_t *lengths, uint16_t n)
{
	if (__builtin_expect(!program->in_order, 1)) {
		run_codes(program, packets, lengths, n);
		return;
	}
	for (uint16_t i = 0; i < n; i++)
		run_codes(program, packets + i, lengths + i, 1);
}

/* ---- variables */

static inline uint64_t count_on(struct counter *counter)
{
	uint64_t now = counter->offset;
	counter->offset = now >= counter->room ? now - counter->room : now + counter->step;
	return now;
}

/* The next `n` values; usually none of them wraps. */
static inline __attribute__((always_inline)) void count(struct counter *counter, uint64_t *values,
														uint16_t n, bool up)
{
	uint64_t origin = counter->origin, step = counter->step, way;
	uint64_t value = up ? origin + counter->offset : origin - counter->offset;
	if (__builtin_mul_overflow(step, n, &way) || counter->offset > counter->room ||
		way > counter->room - counter->offset) {
		for (uint16_t i = 0; i < n; i++)
			values[i] = up ? origin + count_on(counter) : origin - count_on(counter);
		return;
	}
	for (uint16_t i = 0; i < n; i++, value += up ? step : -step)
		values[i] = value;
	counter->offset += way;
}

void run_count_up(struct code *code, struct program *program, uint8_t *const *packets,
				  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	count(&code->counter, program->values[code->var], n, true);
}

void run_count_down(struct code *code, struct program *program, uint8_t *const *packets,
					uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	count(&code->counter, program->values[code->var], n, false);
}

void run_overflow(struct code *code, struct program *program, uint8_t *const *packets,
				  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct overflow *overflow = &code->overflow;
	uint64_t wraps = 0;
	for (uint16_t i = 0; i < n; i++) {
		if (code_is_due(code, program, i)) {
			uint64_t left = overflow->max - overflow->value, step = overflow->step;
			uint64_t value =
				step <= left ? overflow->value + step : overflow->min + step - left - 1;
			wraps |= (uint64_t)(step > left) << i;
			overflow->value = value & overflow->mask;
		}
		program->values[code->var][i] = overflow->value;
	}
	program->wraps[code->var] = wraps;
}

/* ---- chains: variable by variable, packet by packet, since each depends on the wraps of the one
 * before; a variable holds the value before its first one until it is due */

void run_chained_counter(struct code *code, struct program *program, uint8_t *const *packets,
						 uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct counter *counter = &code->counter;
	uint64_t wraps = 0;
	for (uint16_t i = 0; i < n; i++) {
		if (code_is_due(code, program, i)) {
			wraps |= (uint64_t)(counter->offset >= counter->room) << i;
			count_on(counter);
		}
		program->values[code->var][i] = code->counts_down ? counter->origin - counter->offset
														  : counter->origin + counter->offset;
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
		if (code_is_due(code, program, i))
			wraps |= (uint64_t)step_list(list) << i;
		program->values[code->var][i] = list->values[list->position];
	}
	program->wraps[code->var] = wraps;
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

/* Write the addresses that share the current port. */
static uint16_t tuple_of_port(struct tuple *tuple, uint64_t *addresses, uint64_t *ports, uint16_t n)
{
	uint64_t left = tuple->addresses - tuple->address, flows = tuple->flows - tuple->flow;
	left = tuple->flows && flows < left ? flows : left;
	n = left < n ? (uint16_t)left : n;
	for (uint16_t i = 0; i < n; i++) {
		addresses[i] = tuple->address_min + tuple->address + i;
		ports[i] = tuple->port_min + tuple->port;
	}
	tuple->flow += n;
	tuple->address += n;
	if (tuple->flows && tuple->flow == tuple->flows) {
		tuple->flow = tuple->address = tuple->port = 0;
	} else if (tuple->address == tuple->addresses) {
		tuple->address = 0;
		if (++tuple->port == tuple->ports)
			tuple->port = tuple->port_again;
	}
	return n;
}

void run_tuple(struct code *code, struct program *program, uint8_t *const *packets,
			   uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	uint64_t *addresses = program->values[code->var], *ports = program->values[code->var2];
	for (uint16_t done = 0; done < n;)
		done += tuple_of_port(&code->tuple, addresses + done, ports + done, n - done);
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
		uint64_t value = program->values[code->var][i] >> (write->upper_half ? 32 : 0);
		value = (uint32_t)(value + write->add);
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
		length = length < ETHERNET_FRAME_MIN_LEN ? ETHERNET_FRAME_MIN_LEN : length;
		lengths[i] = (uint16_t)(length < program->frame_len ? length : program->frame_len);
	}
}

/* ---- checksums */

static uint16_t get_checksum(const uint8_t *at)
{
	uint16_t field;
	memcpy(&field, at, sizeof(field));
	return field;
}

/* `sum` covers everything, including the present value of the field at `at`, whose complement
 * removes it again. If the field were set to 0 first, the sum would have to wait for that store. */
static uint16_t finish_checksum(uint64_t sum, const uint8_t *at)
{
	return (uint16_t)~checksum_fold(sum + (uint16_t)~get_checksum(at));
}

static void put_checksum(uint8_t *at, uint16_t field)
{
	memcpy(at, &field, sizeof(field));
}

/* A packet whose header length does not fit the frame is left unchanged. */
static void fix_ip4(uint8_t *packet, uint16_t l3, uint16_t frame_len)
{
	uint8_t *ip = packet + l3, *field = ip + IP4_CHECKSUM_AT;
	uint16_t header = (uint16_t)((ip[0] & 0xf) * 4);
	if (l3 + header > frame_len || header < IP4_LEN)
		return;
	/* Usually there are no options, so the length is constant and the sum is unrolled. */
	uint64_t sum = header == IP4_LEN ? checksum_add(0, ip, IP4_LEN) : checksum_add(0, ip, header);
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
	uint64_t sum = fix->is_ip4 ? checksum_add(0, ip + IP4_ADDRESSES_AT, IP4_ADDRESSES_LEN)
							   : checksum_add(0, ip + IP6_ADDRESSES_AT, IP6_ADDRESSES_LEN);
	return sum + htobe16(l4_len) + htobe16(fix->protocol);
}

uint16_t fix_l4_length(const uint8_t *ip, const struct fix *fix, uint16_t length)
{
	uint32_t claimed = fix->is_ip4 ? (uint32_t)load(ip + IP4_TOTAL_LENGTH_AT, 2, true)
								   : (uint32_t)load(ip + IP6_PAYLOAD_LENGTH_AT, 2, true) + IP6_LEN;
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
	uint16_t l4_len = fix_l4_length(ip, fix, length);
	if (l4_len < fix->field + sizeof(uint16_t))
		return;
	uint64_t sum = checksum_add(pseudo_header(ip, fix, l4_len), l4, l4_len);
	uint16_t result = finish_checksum(sum, l4 + fix->field);
	/* In UDP 0 means "no checksum", so a checksum of 0 is sent as 0xffff (RFC 768). */
	put_checksum(l4 + fix->field, fix->protocol == IP4_UDP && !result ? 0xffff : result);
}

void run_fix_l4(struct code *code, struct program *program, uint8_t *const *packets,
				uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		fix_l4(packets[i], &code->fix, lengths[i], program->frame_len);
}
