/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/flows.h"

/* Flow counters of one port for both directions; the port's worker is the only writer. */
struct port_flows {
	struct ws_flow stats[WS_FLOWS];
	struct ws_flow latency[WS_LATENCY_FLOWS];
};
