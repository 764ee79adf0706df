/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random seeds for hashes of values that other parties choose. They cannot be guessed from outside
 * of the process.
 */
#pragma once

#include <stdint.h>

uint64_t seed_random(void);
