/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several running workers with traffic between them, for tests that change everything under
 * traffic. Ports e0 to e3 are rings whose far ends belong to the rig, `none` discards its packets,
 * and `shm` is a memif port whose other end belongs to the rig. Two threads of the rig send random
 * packets to all of them, and receive.
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

/* Open the runtime and the ports; ends the program on failure. */
void churn_open(uint16_t workers, bool is_router);
void churn_close(void);

/* Traffic runs between these calls. The second one returns the number of packets received. */
void churn_traffic_begin(void);
uint64_t churn_traffic_end(void);
/* Take the remaining packets from the far ends' queues. */
void churn_take_rest(void);
/* Take the remaining packets from both ends' queues, once no worker serves them: workers without a
 * CPU leave packets there. */
void churn_empty(void);
/* Wait until as many more packets were received as are in flight now. */
void churn_wait_for_packets(void);

/* The next random number below `below`; `*row` is the state. */
uint32_t churn_draw(uint64_t *row, uint32_t below);

/* End the program with the error text if `result` is negative. */
void churn_expect(int64_t result, const char *what);
