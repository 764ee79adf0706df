/* SPDX-License-Identifier: Apache-2.0 */
/* Media: the meaning of packets that a driver refuses, and of packets for which there is no buffer.
 */
#pragma once

#include "wirespeed/ports.h"

#include <stdbool.h>

enum ws_medium medium_of(const char *devargs);
/* True for DPDK's memif driver, which differs from the port kind `memif:`. */
bool memif_is_driver_of(const char *devargs);

/*
 * True for drivers that drop a packet without a buffer and count it. Most drivers leave the packet
 * in the ring and count the attempts; packets lost because of that count as missed.
 */
bool medium_drops_without_buffer(const char *driver);

/* True if the kernel moves this driver's packets within the caller's time, so a call may take
 * milliseconds. */
bool medium_works_in_kernel(const char *driver);
