/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the router of test_churn.c. */
#pragma once

#include "wirespeed/routes.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { CHURN_BONDED = 3 /* the port that becomes a member of bonds */ };

/* Make `count` random changes, from the sequence that begins with `seed`, then undo all that are
 * left. All of them must succeed: the program ends with the error text of one that fails. */
void churn_changes(struct ws_router *router, uint32_t count, uint64_t seed);

/* A change; `on` alternates from call to call. */
typedef void churn_change(struct ws_router *router, uint64_t *row, bool on);
/* A read after each change. */
typedef void churn_read(struct ws_router *router, uint64_t *row);

/* Changes are chosen in the order of their names; `name` is that of the function. */
struct churn {
	const char *name;
	churn_change *change; /* or NULL */
	churn_read *read;     /* or NULL */
	struct churn *next;
};
void churn_register(struct churn *churn);

/* Placed at the foot of a file. */
#define CHURN_REGISTER(function, ...)                                                              \
	__attribute__((constructor)) static void churn_register_##function(void)                       \
	{                                                                                              \
		static struct churn churn = {.name = #function, __VA_ARGS__};                              \
		churn_register(&churn);                                                                    \
	}
#define CHURN(function) CHURN_REGISTER(function, .change = (function))
#define CHURN_READ(function) CHURN_REGISTER(function, .read = (function))

/* For changes that make interfaces: the number of the last one made; delete it; set it up with an
 * address; make a VLAN sub-interface, up. */
uint16_t churn_made(int index, const char *what);
void churn_delete(struct ws_router *router, uint16_t index);
void churn_come_up(struct ws_router *router, uint16_t index, struct ws_prefix address);
uint16_t churn_vlan_on(struct ws_router *router, uint16_t port, uint16_t vlan);
/* A route with up to three paths, to known and unknown hosts. */
struct ws_route churn_route(uint64_t *row, struct ws_prefix prefix);
