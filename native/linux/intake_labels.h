/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the intake for routes of MPLS labels. */
#pragma once

#include "linux/intake.h"

void intake_take_label(struct intake *intake, const struct linux_label *label, bool is_removal);
/* After a dump: remove the labels that it did not report. */
void intake_sweep_labels(struct intake *intake);
