/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/interface_due.h"

static void put(struct interface_due *due, uint16_t place, uint16_t index)
{
	due->heap[place] = index;
	due->place[index] = place;
}

static bool is_sooner(struct interface_due *due, uint16_t one, uint16_t other)
{
	due->looks++;
	return due->tsc[one] < due->tsc[other];
}

/* Sift up from a free place. */
static void rise(struct interface_due *due, uint16_t place, uint16_t index)
{
	for (; place > 1 && is_sooner(due, index, due->heap[place / 2]); place /= 2)
		put(due, place, due->heap[place / 2]);
	put(due, place, index);
}

static void sink(struct interface_due *due, uint16_t place, uint16_t index)
{
	for (uint16_t child; (child = (uint16_t)(place * 2)) <= due->count; place = child) {
		if (child < due->count && is_sooner(due, due->heap[child + 1], due->heap[child]))
			child++;
		if (!is_sooner(due, due->heap[child], index))
			break;
		put(due, place, due->heap[child]);
	}
	put(due, place, index);
}

void interface_due_at(struct interface_due *due, uint16_t index, uint64_t tsc)
{
	interface_due_never(due, index);
	due->tsc[index] = tsc;
	rise(due, ++due->count, index);
}

void interface_due_never(struct interface_due *due, uint16_t index)
{
	uint16_t place = due->place[index];
	if (!place)
		return;
	due->place[index] = 0;
	uint16_t last = due->heap[due->count--];
	if (last == index)
		return;
	if (place > 1 && is_sooner(due, last, due->heap[place / 2]))
		rise(due, place, last);
	else
		sink(due, place, last);
}

bool interface_due_take(struct interface_due *due, uint64_t now, uint16_t *index)
{
	if (!due->count)
		return false;
	due->looks++;
	if (due->tsc[due->heap[1]] > now)
		return false;
	*index = due->heap[1];
	interface_due_never(due, *index);
	return true;
}
