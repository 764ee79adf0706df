/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces gcc's header of this name, which DPDK's headers include. gcc's header declares every
 * vector instruction of every CPU; parsing it took half of the build time. This one declares the
 * instructions of the x86-64 level that the file is compiled for.
 */
#if !defined(__GNUC__) || defined(__clang__)
#include_next <x86intrin.h>
#elif !defined(_IMMINTRIN_H_INCLUDED)
#include <nmmintrin.h>
#ifdef __AVX2__
/* gcc's headers for AVX and later require this guard of <immintrin.h>. */
#define _IMMINTRIN_H_INCLUDED
#include <avxintrin.h>

#include <avx2intrin.h>
#ifdef __AVX512VL__
#include <avx512fintrin.h>

#include <avx512vlintrin.h>
#endif
#undef _IMMINTRIN_H_INCLUDED
#endif
#endif
