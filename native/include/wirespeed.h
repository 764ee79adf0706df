/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the data plane (C on DPDK) and its control plane.
 *
 * One header per subject, in wirespeed/; this one includes them all. Plain structs and functions
 * only: no macros, no inlines, no DPDK types, no callbacks. The Python binding parses this file
 * directly: it follows the includes in quotes and ignores other lines that begin with '#'.
 *
 * All functions are called by one thread, the main thread. Workers never call out. By default a
 * function returns 0 (or a count) on success and a negative errno on failure, and ws_error() then
 * returns one line for the user. IP addresses and MAC addresses are bytes as on the wire. Times are
 * in seconds or TSC ticks, as their names say. Strings are UTF-8, NUL-terminated, truncated if
 * longer than their field.
 */
#pragma once

#include "wirespeed/acl_sessions.h"
#include "wirespeed/acls.h"
#include "wirespeed/address.h"
#include "wirespeed/bonds.h"
#include "wirespeed/bridges.h"
#include "wirespeed/captures.h"
#include "wirespeed/counters.h"
#include "wirespeed/dad.h"
#include "wirespeed/echo.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/flows.h"
#include "wirespeed/generator.h"
#include "wirespeed/impairment.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/ip6.h"
#include "wirespeed/limits.h"
#include "wirespeed/linux.h"
#include "wirespeed/mpls.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/nodes.h"
#include "wirespeed/placement.h"
#include "wirespeed/ports.h"
#include "wirespeed/punt.h"
#include "wirespeed/push.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"
#include "wirespeed/runtime.h"
#include "wirespeed/sflow.h"
#include "wirespeed/streams.h"
#include "wirespeed/tagged.h"
#include "wirespeed/trace.h"
#include "wirespeed/urpf.h"
#include "wirespeed/vxlan.h"
