/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on rings inside the process: two of one name are wired to each other, one alone to itself.
 */
#ifndef DEV_RING_PORT_H
#define DEV_RING_PORT_H

#include <stdbool.h>
#include <stdint.h>

/* `alone`: no other port has the name; else `second` tells the two ends apart. Becomes port
 * `index`. */
int ring_port_open(const char *name, uint16_t index, bool alone, bool second);

#endif
