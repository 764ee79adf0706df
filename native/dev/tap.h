/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TAP ports: an interface of the Linux kernel, in any network namespace, as a port of ours.
 *
 * The port itself is a pair of rings, so a worker makes no system call for it; one thread for all
 * TAPs, asleep while nothing moves, carries frames between the rings and the kernel. What finds a
 * ring full is dropped and counted. The only wake-up that a worker pays for is one write to an
 * eventfd when that thread sleeps.
 */
#ifndef DEV_TAP_H
#define DEV_TAP_H

#include "wirespeed.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the interface that `config->devargs` describes and the port `index` on it:
 * "tap:NAME[,netns=NS][,host-mac=MAC][,state=down]". The port has `config->tx_queues` TX queues.
 */
int tap_open(const struct ws_port_config *config, uint16_t index);
/* After the ethdev is closed: the interface goes, and what was in its rings. */
void tap_close(uint16_t index);
bool tap_is_open(uint16_t index);

/* The link as Linux sees it: a TAP without carrier tells its routing daemons so. */
int tap_set_carrier(uint16_t index, bool up);
/* False once the interface has been deleted behind our back. */
bool tap_is_alive(uint16_t index);
void tap_counters(uint16_t index, struct ws_port_counters *out);

/* A worker has put frames into a TAP's ring. */
void tap_wake(void);
/* The worker that polls the port is woken when frames come. */
void tap_set_poller(uint16_t index, uint16_t worker);
bool tap_has_frames(uint16_t index);

#endif
