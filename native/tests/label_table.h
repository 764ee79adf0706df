/* SPDX-License-Identifier: Apache-2.0 */
/* The router's table of labels, in its place where there is no router: what it was told, it has. */
#pragma once

#include "wirespeed/mpls.h"

enum { LABEL_TABLE_MOST = 64 };

extern struct ws_mpls_route label_table[LABEL_TABLE_MOST];
extern uint32_t label_table_count;
extern bool label_table_is_there;

/* NULL when there is none. */
struct ws_mpls_route *label_table_find(uint32_t label, bool bottom);
/* Empty, and not made yet. */
void label_table_reset(void);
