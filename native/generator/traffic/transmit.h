/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "generator/port.h"

/* Send one burst of each profile's due packets on a port; returns the number of packets that the
 * driver took. */
uint32_t generator_transmit(struct generator_port *port);
