/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"

#include "tests/churn_rig.h"
#include "wirespeed/router.h"

#include <string.h>

enum { MOST = 64 };

static struct churn *registered;
static struct {
	churn_change *change;
	bool is_on;
} changes[MOST];
static uint32_t change_count;

void churn_register(struct churn *churn)
{
	struct churn **place = &registered;
	while (*place && strcmp((*place)->name, churn->name) < 0)
		place = &(*place)->next;
	churn->next = *place;
	*place = churn;
}

static void change(struct ws_router *router, uint64_t *row, uint32_t which)
{
	changes[which].is_on = !changes[which].is_on;
	changes[which].change(router, row, changes[which].is_on);
}

void churn_changes(struct ws_router *router, uint32_t count, uint64_t seed)
{
	uint64_t row = seed;
	change_count = 0;
	for (const struct churn *one = registered; one; one = one->next)
		if (one->change)
			changes[change_count++].change = one->change;
	for (uint32_t i = 0; i < count; i++) {
		change(router, &row, churn_draw(&row, change_count));
		for (const struct churn *one = registered; one; one = one->next)
			if (one->read)
				one->read(router, &row);
		churn_expect(ws_router_poll(router), "poll");
		if (i % 8 == 0)
			churn_wait_for_packets();
	}
	for (uint32_t i = change_count; i--;)
		if (changes[i].is_on)
			change(router, &row, i);
}
