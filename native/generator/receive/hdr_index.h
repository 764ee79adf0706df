/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/flows.h"

/*
 * Index of a value in HdrHistogram. Each bucket has 256 counts and stores the upper half; the first
 * bucket stores all.
 */
static inline uint32_t hdr_index(uint64_t ns)
{
	uint32_t bucket = (uint32_t)(63 - __builtin_clzll(ns | 255)) - 7;
	uint32_t index = (bucket << 7) + (uint32_t)(ns >> bucket);
	return index < WS_HDR_COUNTS ? index : WS_HDR_COUNTS - 1;
}
