/* SPDX-License-Identifier: Apache-2.0 */
/* receive.c and transmit.c are compiled once for each march level; the level is part of the
 * functions' names. */
#pragma once

#include "dev/port.h"

#ifndef MEMIF_MARCH
#define MEMIF_MARCH 1
#endif
#define MEMIF_PASTE(name, level) name##level
#define MEMIF_NAME(name, level) MEMIF_PASTE(name, level)
#define MEMIF_RECEIVE MEMIF_NAME(memif_receive_v, MEMIF_MARCH)
#define MEMIF_TRANSMIT MEMIF_NAME(memif_transmit_v, MEMIF_MARCH)

enum memif_role { MEMIF_SERVER, MEMIF_CLIENT, MEMIF_ROLES };

struct memif_receive {
	port_burst *as[MEMIF_ROLES];
};
struct memif_transmit {
	port_burst *as[MEMIF_ROLES];
};

/* Use the functions of the march level that was chosen at start. */
void memif_choose(enum memif_role role, struct port_path *path);

extern const struct memif_receive memif_receive_v1, memif_receive_v2, memif_receive_v3,
	memif_receive_v4;
extern const struct memif_transmit memif_transmit_v1, memif_transmit_v2, memif_transmit_v3,
	memif_transmit_v4;
