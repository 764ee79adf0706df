/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "generator/port.h"

/* Sends a burst of what is due on one port, of each profile; returns how many packets the driver
 * took. */
uint32_t generator_transmit(struct generator_port *port);
