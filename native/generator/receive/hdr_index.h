/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/flows.h"

/*
 * The index that HdrHistogram gives a value, with buckets of 256 counts of which the upper half is
 * stored, and the first bucket whole.
 */
static inline uint32_t hdr_index(uint64_t ns)
{
	uint32_t bucket = (uint32_t)(63 - __builtin_clzll(ns | 255)) - 7;
	uint32_t index = (bucket << 7) + (uint32_t)(ns >> bucket);
	return index < WS_HDR_COUNTS ? index : WS_HDR_COUNTS - 1;
}
