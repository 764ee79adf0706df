/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of interfaces: their differences, for code that handles all kinds. A kind registers itself
 * at the foot of the control file that makes its interfaces.
 */
#pragma once

#include "wirespeed/interfaces.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

struct interface_kind {
	enum ws_interface_kind kind;
	/* Its interfaces leave through the node "<output>-output", and no interface may have that name;
	 * NULL: through their port's node. */
	const char *output;
	bool takes_subs;
	bool is_unlimited; /* no lower layer limits the length of its packets */
	bool sets_mtu;     /* only the MTU set by the user limits its packets */
};

void interface_kind_register(const struct interface_kind *kind);
/* The kind with that number; if none is registered, one with all members 0. */
const struct interface_kind *interface_kind(uint8_t kind);
const struct interface_kind *interface_kind_of(const struct ws_router *router, uint16_t index);
/* Write the names of outputs behind those of ports; `names` has OUTPUTS places (interface.h). */
void interface_outputs(const char **names);

#define INTERFACE_KIND(kind)                                                                       \
	__attribute__((constructor)) static void interface_kind_register_##kind(void)                  \
	{                                                                                              \
		interface_kind_register(&(kind));                                                          \
	}
