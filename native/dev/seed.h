/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that nobody outside the process can guess, for hashes of what others choose. */
#ifndef DEV_SEED_H
#define DEV_SEED_H

#include <stdint.h>

uint64_t seed_random(void);

#endif
