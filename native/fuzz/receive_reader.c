/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/receive_reader.h"
#include "wirespeed/runtime.h"

#include <rte_cycles.h>
#include <string.h>

struct reader reader;

static uint8_t now; /* number of the last start */
static struct {
	bool is_begun; /* some packet was received since the last reset */
	int port;      /* port that received all packets; -1: none */
	uint32_t reached, came;
	bool seen[READER_MAX_INDEX];
	struct reader_order order; /* all but the missing packets */
} orders[READER_FLOWS];

enum { MOST = 1 << 15 }; /* numbers are closer than this to the first one */
static struct {
	int32_t next;
	bool seen[2 * MOST];
} series[READER_SERIES][READER_PORTS];
static bool is_lost[READER_SERIES][READER_PORTS]; /* its next number is unknown */

static void follow_series(struct reader_flow *flow, uint8_t by, uint32_t number, int32_t index,
						  uint16_t port)
{
	flow->packets++;
	if (number / 16 >= READER_SERIES) {
		flow->unplaced++;
		return;
	}
	if (by || number % 16 || index < -MOST || index >= MOST) {
		is_lost[number / 16][port] |= !(number % 16);
		flow->is_unsure = true;
		return;
	}
	flow->is_unsure |= is_lost[number / 16][port];
	int32_t *next = &series[number / 16][port].next;
	bool *seen = &series[number / 16][port].seen[index + MOST];
	if (index < *next - READER_WINDOW)
		flow->unplaced++;
	else if (*seen || index < 0)
		flow->duplicates++;
	else if (index < *next)
		flow->reordered++;
	else
		*next = index + 1;
	*seen = true;
}

static void follow_order(uint32_t flow, uint32_t sequence, uint16_t port)
{
	uint32_t index = sequence - READER_FIRST_SEQUENCE;
	if (!orders[flow].is_begun || index >= READER_MAX_INDEX ||
		(orders[flow].port >= 0 && orders[flow].port != port)) {
		orders[flow].order.is_unsure = true;
		return;
	}
	orders[flow].port = port;
	if (orders[flow].seen[index]) {
		orders[flow].order.duplicate++;
		return;
	}
	orders[flow].seen[index] = true;
	orders[flow].came++;
	if (index < orders[flow].reached)
		orders[flow].order.out_of_order++;
	else
		orders[flow].reached = index + 1;
}

struct reader_order reader_order(uint32_t flow)
{
	struct reader_order order = orders[flow].order;
	order.dropped += orders[flow].reached - orders[flow].came;
	return order;
}

void reader_begin(uint8_t start)
{
	now = start;
	for (uint32_t i = 0; i < READER_FLOWS; i++) {
		orders[i].order = reader_order(i);
		orders[i].is_begun = true;
		orders[i].port = -1;
		orders[i].reached = orders[i].came = 0;
		memset(orders[i].seen, 0, sizeof(orders[i].seen));
	}
}

void reader_reset(void)
{
	memset(orders, 0, sizeof(orders));
	memset(reader.latency, 0, sizeof(reader.latency));
	memset(reader.stats, 0, sizeof(reader.stats));
}

void reader_renew(void)
{
	memset(series, 0, sizeof(series));
	memset(is_lost, 0, sizeof(is_lost));
	reader.faults = 0;
}

static uint32_t big(const uint8_t *at, int bytes)
{
	uint32_t value = 0;
	for (int i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static uint64_t little(const uint8_t *at, int bytes)
{
	uint64_t value = 0;
	for (int i = bytes; i--;)
		value = value << 8 | at[i];
	return value;
}

/* Version and offset of the IP packet in the frame, behind any number of tags; `head` bytes of the
 * frame can be read. 0: there is none. */
static int ip_in(const uint8_t *frame, size_t head, size_t *at)
{
	*at = 14;
	for (; head >= *at + 20; *at += 4) {
		uint32_t type = big(frame + *at - 2, 2);
		if (type != 0x8100 && type != 0x88a8)
			break;
	}
	if (head < *at + 20)
		return 0;
	uint32_t type = big(frame + *at - 2, 2), version = frame[*at] >> 4;
	if (type == 0x0800 && version == 4)
		return 4;
	return type == 0x86dd && version == 6 && head >= *at + 40 ? 6 : 0;
}

static void count_header(const uint8_t *frame, size_t head, uint16_t port)
{
	size_t at;
	int version = ip_in(frame, head, &at);
	if (!version)
		return;
	uint32_t id = big(frame + at + (version == 4 ? 4 : 2), 2);
	if (id == 0xffff)
		reader.faults++;
	else if (id >= 0xfc00)
		reader.stats[id - 0xfc00][port].packets++;
}

void reader_take(const uint8_t *frame, size_t length, size_t head, uint16_t port)
{
	if (length < READER_TAIL)
		return;
	const uint8_t *tail = frame + length - READER_TAIL;
	uint64_t id = little(tail + 2, 2), age = rte_rdtsc() - little(tail + 8, 8);
	if (tail[0] == 0xab && id < WS_LATENCY_FLOWS && age < ws_tsc_hz() * 5) {
		if (id < READER_FLOWS && tail[1] == now) {
			reader.latency[id][port]++;
			follow_order((uint32_t)id, (uint32_t)little(tail + 4, 4), port);
		} else {
			reader.faults++;
		}
	} else if (tail[0] == 0xac && id < WS_FLOWS && little(tail + 14, 2) == 0x6a09 &&
			   little(tail + 4, 4) + little(tail + 8, 4) == UINT32_MAX) {
		follow_series(&reader.stats[id][port], tail[1], (uint32_t)little(tail + 12, 2),
					  (int32_t)((uint32_t)little(tail + 4, 4) - READER_FIRST_SEQUENCE), port);
	} else {
		count_header(frame, head, port);
	}
}

bool reader_is_control(const uint8_t *frame, size_t head)
{
	size_t at;
	int version = ip_in(frame, head, &at);
	if (version)
		return version == 4 ? frame[at + 9] == 1 : frame[at + 6] == 58;
	return head >= at && big(frame + at - 2, 2) == 0x0806;
}
