/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "generator/port.h"

/* Takes in a burst from each queue of one port; returns how many packets that were. */
uint32_t generator_receive(struct generator_port *port);
