/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the router's table of labels in tests without a router: it stores the routes that it is
 * given. */
#pragma once

#include "wirespeed/mpls.h"

enum { LABEL_TABLE_MOST = 64 };

extern struct ws_mpls_route label_table[LABEL_TABLE_MOST];
extern uint32_t label_table_count;
extern bool label_table_is_there;

/* NULL if there is none. */
struct ws_mpls_route *label_table_find(uint32_t label, bool bottom);
/* Back to the initial state: no table. */
void label_table_reset(void);
