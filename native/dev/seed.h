/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random seeds for hashes of values that others choose; nobody outside the process can guess
 * them.
 */
#pragma once

#include <stdint.h>

uint64_t seed_random(void);
