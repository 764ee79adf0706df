/* SPDX-License-Identifier: Apache-2.0 */
/* Limits on the number of objects. */
#pragma once

enum {
	WS_NAME_LEN = 64,
	WS_DEVARGS_LEN = 256,
	WS_MAX_PORTS = 256,          /* per router; DPDK's own drivers support RTE_MAX_ETHPORTS */
	WS_MAX_GENERATOR_PORTS = 32, /* sets of them are 32-bit words (captures) */
	WS_MAX_INTERFACES = 16384,   /* ports, sub-interfaces and all others */
	WS_MAX_ADDRESSES = 16,       /* per interface, both families */
	WS_MAX_WORKERS = 64,
	WS_MAX_POOLS = 8, /* pools of packet buffers, one per NUMA node; further nodes use the first */
	WS_MAX_QUEUES = 64,   /* per port and direction */
	WS_MAX_PATHS = 16,    /* per route */
	WS_MAX_ACLS = 1024,   /* per router */
	WS_MAX_LABELS = 8,    /* pushed by one path */
	WS_REWRITE_LEN = 24,  /* the longest header of a routed frame */
	WS_TRACE_BYTES = 128, /* bytes of a packet kept per trace step */
	WS_MOST_HELD = 128,   /* next hops per worker with waiting packets */
	WS_MAX_MTU = 9216,    /* per interface, without Ethernet header and tags */
};
