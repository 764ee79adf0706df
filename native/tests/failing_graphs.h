/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that cannot be made, for tests that nothing changes in that case. */
#pragma once

#include "graph/arc.h"

#include <stdbool.h>

/* While both are registered, each must run after the other. */
GRAPH_FEATURE(first, .node = "first-test", .arc = "ip4-unicast")
GRAPH_FEATURE(second, .node = "second-test", .arc = "ip4-unicast")

static inline void let_graphs_fail(bool fail)
{
	first.runs_before[0] = fail ? second.node : NULL;
	second.runs_before[0] = fail ? first.node : NULL;
}
