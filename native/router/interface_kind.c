/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface_kind.h"
#include "router/interface/interface_settings.h"

static const struct interface_kind *kinds[INTERFACE_KINDS];

void interface_kind_register(const struct interface_kind *kind)
{
	kinds[kind->kind] = kind;
}

const struct interface_kind *interface_kind(uint8_t kind)
{
	static const struct interface_kind plain;
	return kinds[kind] ? kinds[kind] : &plain;
}

const struct interface_kind *interface_kind_of(const struct ws_router *router, uint16_t index)
{
	return interface_kind(router->settings[index].kind);
}

void interface_outputs(const char **names)
{
	for (uint8_t kind = 0; kind < (uint8_t)INTERFACE_KINDS; kind++)
		names[WS_MAX_PORTS + kind] = interface_kind(kind)->output;
}
