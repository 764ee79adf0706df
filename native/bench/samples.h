/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures from the moments when the machine was at its highest speed. A virtual CPU shares its core
 * and its clock with neighbours, so that the same work may take half as long again as a second
 * before. A fixed piece of work is timed before and after each sample. The sample counts as fast if
 * neither took more than 5 % longer than the fastest tenth of the run; the result is the median of
 * the fast samples. So rows are comparable, whenever they were measured.
 */
#pragma once

#include <stdint.h>

enum { SAMPLES_MAX_FIGURES = 16 };

/* Samples of one measurement with several figures; they stay until the program ends. */
struct samples;
struct samples *samples_make(uint32_t figures);

/* Put around the measured code; `figures` are its results. */
void samples_begin(struct samples *samples);
void samples_end(struct samples *samples, const double *figures);

/* Number of fast samples, and their median of that figure (NaN without any). */
uint32_t samples_fast(const struct samples *samples);
double samples_median(const struct samples *samples, uint32_t figure);
/* Print which speeds of the machine the run met. */
void samples_show_machine(void);
