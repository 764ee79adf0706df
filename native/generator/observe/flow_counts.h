/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/flows.h"

/* Counters of one port, of both directions: its worker is their only writer. */
struct port_flows {
	struct ws_flow stats[WS_FLOWS];
	struct ws_flow latency[WS_LATENCY_FLOWS];
};
