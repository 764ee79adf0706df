/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of one rtnetlink message: checked bytes in, plain structs out. No sockets, no state. */
#pragma once

#include "wirespeed/limits.h"
#include "wirespeed/linux.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct linux_neighbor {
	int32_t link;
	struct ws_address address;
	bool is_known;     /* has a usable MAC address */
	bool is_heard;     /* … and has recently replied */
	bool has_failed;   /* does not reply, or was deleted by a user */
	bool is_permanent; /* set by a user */
	uint8_t mac[6];
};

struct linux_path {
	int32_t link;
	struct ws_address gateway; /* family 0: none */
	uint16_t weight;
	uint8_t label_count; /* labels to push; above WS_MAX_LABELS: more than there is room for */
	uint32_t labels[WS_MAX_LABELS];
};

/* An object that routes refer to by number: one path, none, or a group of other objects. */
struct linux_nexthop {
	uint32_t id;
	bool is_blackhole, is_dead;
	uint16_t member_count; /* members of a group, at most WS_MAX_PATHS */
	struct {
		uint32_t id;
		uint16_t weight;
	} members[WS_MAX_PATHS];
	struct linux_path path;
};

struct linux_route {
	struct ws_prefix prefix;
	uint32_t table;
	uint32_t metric;
	uint32_t nexthop; /* the referenced object, which has the paths; 0: none */
	int32_t kind;     /* enum ws_path_kind: NEXT_HOP (of each path), DROP, UNREACHABLE, PROHIBIT */
	bool is_ours;     /* a route for routers: not cached, not made by the kernel, not local */
	bool is_appended; /* comes after an existing one */
	uint16_t path_count; /* without dead ones and those beyond WS_MAX_PATHS */
	struct linux_path paths[WS_MAX_PATHS];
};

/* Paths for packets with the label, at any position in the stack. */
struct linux_label {
	uint32_t label;
	uint16_t path_count; /* without dead ones and those beyond WS_MAX_PATHS */
	struct linux_path paths[WS_MAX_PATHS];
};

enum linux_kind {
	LINUX_OTHER, /* irrelevant, or malformed */
	LINUX_DONE,  /* a dump has ended; it is complete if `error` is 0 */
	LINUX_ERROR, /* a request failed with `error` */
	LINUX_LINK,
	LINUX_ADDRESS,
	LINUX_NEIGHBOR,
	LINUX_ROUTE,
	LINUX_NEXTHOP,
	LINUX_LABEL,
};

struct linux_message {
	enum linux_kind kind;
	bool is_removal;     /* RTM_DEL… */
	bool is_interrupted; /* the dump missed something and must be repeated */
	bool has_carrier;    /* the link has a carrier */
	uint32_t sequence;
	int32_t error; /* negative errno */
	union {
		struct ws_linux_link link;
		struct ws_linux_address address;
		struct linux_neighbor neighbor;
		struct linux_route route;
		struct linux_nexthop nexthop;
		struct linux_label label;
	};
};

/*
 * Parse the first message of `bytes`. Returns the bytes it takes, padding included, or 0 if there
 * is no whole message. A malformed message is LINUX_OTHER.
 */
size_t linux_message_parse(const void *bytes, size_t length, struct linux_message *out);
