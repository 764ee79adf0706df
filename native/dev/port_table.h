/* SPDX-License-Identifier: Apache-2.0 */
/* Ports by number, for the files of this layer. */
#pragma once

#include "dev/port_kind.h"

extern struct port port_table[WS_MAX_PORTS];

static inline struct port *port_at(uint16_t index)
{
	return &port_table[index];
}

/* Store the port's counters, for reads after its device is gone. */
void removed_note_counters(const struct port *port);
