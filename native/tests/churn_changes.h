/* SPDX-License-Identifier: Apache-2.0 */
/* What is changed in the router of test_churn.c. */
#ifndef TESTS_CHURN_CHANGES_H
#define TESTS_CHURN_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { CHURN_BONDED = 3 /* the wire that becomes a member of bonds */ };

/* Makes `count` changes, drawn from a row that begins with `seed`; then takes back what is still
 * there of them. Each of them is one that cannot fail: the program ends with the line of one that
 * does. */
void churn_changes(struct ws_router *router, uint32_t count, uint64_t seed);

/* Those of routes and neighbours; of interfaces; of what is done to packets; and what is read.
 * Each table ends with NULL. `on` is what it was not the last time. */
typedef void churn_change(struct ws_router *router, uint64_t *row, bool on);
extern churn_change *const churn_of_routes[], *const churn_of_interfaces[],
												  *const churn_of_features[];
void churn_read(struct ws_router *router, uint64_t *row);

#endif
