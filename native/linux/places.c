/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/places.h"

#include <stdlib.h>

enum { FIRST_SIZE = 64 };

static uint32_t after(const struct places *places, uint32_t slot)
{
	return (slot + 1) & (places->size - 1);
}

uint32_t places_find(struct places *places, uint32_t hash, place_is_fn *is, const void *array,
					 const void *key)
{
	if (!places->size)
		return PLACE_NONE;
	for (uint32_t slot = hash & (places->size - 1); places->slots[slot].at;
		 slot = after(places, slot)) {
		places->looks++;
		if (places->slots[slot].hash == hash && is(array, places->slots[slot].at - 1, key))
			return places->slots[slot].at - 1;
	}
	return PLACE_NONE;
}

static void put(struct places *places, struct place place)
{
	uint32_t slot = place.hash & (places->size - 1);
	while (places->slots[slot].at)
		slot = after(places, slot);
	places->slots[slot] = place;
}

static bool grow_places(struct places *places)
{
	struct places larger = {.size = places->size ? places->size * 2 : FIRST_SIZE};
	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < places->size; i++)
		if (places->slots[i].at)
			put(&larger, places->slots[i]);
	free(places->slots);
	places->slots = larger.slots;
	places->size = larger.size;
	return true;
}

bool places_add(struct places *places, uint32_t hash, uint32_t at)
{
	if (places->used * 2 >= places->size && !grow_places(places))
		return false;
	put(places, (struct place){hash, at + 1});
	places->used++;
	return true;
}

static uint32_t slot_of(const struct places *places, uint32_t hash, uint32_t at)
{
	uint32_t slot = hash & (places->size - 1);
	while (places->slots[slot].at != at + 1)
		slot = after(places, slot);
	return slot;
}

void places_move(struct places *places, uint32_t hash, uint32_t from, uint32_t to)
{
	places->slots[slot_of(places, hash, from)].at = to + 1;
}

/* Later entries move up, so that no run has a gap. */
void places_remove(struct places *places, uint32_t hash, uint32_t at)
{
	uint32_t hole = slot_of(places, hash, at), mask = places->size - 1;
	for (uint32_t slot = after(places, hole); places->slots[slot].at; slot = after(places, slot)) {
		uint32_t home = places->slots[slot].hash & mask;
		if (((slot - home) & mask) < ((slot - hole) & mask))
			continue;
		places->slots[hole] = places->slots[slot];
		hole = slot;
	}
	places->slots[hole] = (struct place){0};
	places->used--;
}

void places_close(struct places *places)
{
	free(places->slots);
	*places = (struct places){0};
}
