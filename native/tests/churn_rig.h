/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several workers that run, and traffic between them all the while, for tests that change
 * everything meanwhile.
 *
 * Ports e0 to e3 are rings whose far ends the rig has, `none` swallows what it gets, `shm` is a
 * memif port of which the rig is the other end. Two threads of the rig send whatever may come, by
 * all of them, and take what comes out.
 */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

enum { CHURN_WIRES = 4 };
enum {
	CHURN_FAR = CHURN_WIRES, /* the first of the other ends */
	CHURN_NONE = 2 * CHURN_WIRES,
	CHURN_SHM,
	CHURN_SHM_FAR,
	CHURN_PORTS
};

/* Runtime, ports, and whom to send to; ends the program when that cannot be. */
void churn_open(uint16_t workers, bool is_router);
void churn_close(void);

/* Between these traffic goes on. The second returns how many packets came out. */
void churn_traffic_begin(void);
uint64_t churn_traffic_end(void);
/* Takes what is left in the far ends' queues. */
void churn_take_rest(void);
/* Takes what is left in the queues of both ends, once no worker serves them: workers without a CPU
 * leave packets there. */
void churn_empty(void);
/* Wait until as many packets were received as are under way now. */
void churn_wait_for_packets(void);

/* The next number below `below` of a row that begins with `*row`. */
uint32_t churn_draw(uint64_t *row, uint32_t below);

/* Ends the program with the line of what failed. */
void churn_expect(int64_t result, const char *what);
