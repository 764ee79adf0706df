/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the router of test_churn.c. */
#pragma once

#include "wirespeed/routes.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { CHURN_BONDED = 3 /* the wire that becomes a member of bonds */ };

/* Makes `count` changes, drawn from a row that begins with `seed`; then takes back what is still
 * there of them. Each of them is one that cannot fail: the program ends with the line of one that
 * does. */
void churn_changes(struct ws_router *router, uint32_t count, uint64_t seed);

/* A change: `on` is what it was not the last time. */
typedef void churn_change(struct ws_router *router, uint64_t *row, bool on);
/* A reading after each change. */
typedef void churn_read(struct ws_router *router, uint64_t *row);

/* Changes are drawn in the order of their names; `name` is that of the function. */
struct churn {
	const char *name;
	churn_change *change; /* or NULL */
	churn_read *read;     /* or NULL */
	struct churn *next;
};
void churn_register(struct churn *churn);

/* At the foot of a file. */
#define CHURN_REGISTER(function, ...)                                                              \
	__attribute__((constructor)) static void churn_register_##function(void)                       \
	{                                                                                              \
		static struct churn churn = {.name = #function, __VA_ARGS__};                              \
		churn_register(&churn);                                                                    \
	}
#define CHURN(function) CHURN_REGISTER(function, .change = (function))
#define CHURN_READ(function) CHURN_REGISTER(function, .read = (function))

/* For changes that make interfaces: the number of the one that was made; it goes; it is up and has
 * the address; a sub-interface of a VLAN, up. */
uint16_t churn_made(int index, const char *what);
void churn_delete(struct ws_router *router, uint16_t index);
void churn_come_up(struct ws_router *router, uint16_t index, struct ws_prefix address);
uint16_t churn_vlan_on(struct ws_router *router, uint16_t port, uint16_t vlan);
/* A route of up to three paths, to hosts that may be known or not. */
struct ws_route churn_route(uint64_t *row, struct ws_prefix prefix);
