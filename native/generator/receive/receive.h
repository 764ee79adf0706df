/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "generator/port.h"

/* Receive a burst from each queue of one port; returns the number of packets. */
uint32_t generator_receive(struct generator_port *port);
