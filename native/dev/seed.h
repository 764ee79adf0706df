/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that nobody outside the process can guess, for hashes of what others choose. */
#pragma once

#include <stdint.h>

uint64_t seed_random(void);
