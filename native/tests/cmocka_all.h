/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka.h, after the headers that it requires. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
