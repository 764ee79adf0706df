/* SPDX-License-Identifier: Apache-2.0 */
/* Media: the meaning of a packet that a driver refuses, and of one that finds no buffer. */
#pragma once

#include "wirespeed/ports.h"

#include <stdbool.h>

enum ws_medium medium_of(const char *devargs);
/* DPDK's memif driver, besides the port kind `memif:`. */
bool memif_is_driver_of(const char *devargs);

/*
 * Most drivers leave a packet in the ring while they find no buffer for it, and count the attempts;
 * what is lost by that they count as missed. True of those that drop the packet and count it.
 */
bool medium_drops_without_buffer(const char *driver);

/* The kernel moves this driver's packets on the caller's time, which may take a call milliseconds.
 */
bool medium_works_in_kernel(const char *driver);
