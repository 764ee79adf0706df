/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of a target for libFuzzer, and for run_corpus.c, which replaces libFuzzer in other
 * builds. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Optional; before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* In every build, unlike assert(). */
#define FUZZ_ASSERT(condition)                                                                     \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
			abort();                                                                               \
		}                                                                                          \
	} while (0)
