/* SPDX-License-Identifier: Apache-2.0 */
/* The state of bonds, created with the first bond and freed with the router; its members. */
#include "router/bond/bond.h"

#include <rte_ring_elem.h>
#include <stdlib.h>

enum { HEARD_SLOTS = 256 };

struct bond_state *bond_make_state(struct ws_router *router)
{
	_Static_assert(sizeof(struct bond_heard) % sizeof(uint32_t) == 0, "a ring's element");
	struct bond_state *state = bond_state(router);
	if (state)
		return state;
	state = calloc(1, sizeof(*state));
	if (state)
		state->heard = rte_ring_create_elem("bonds-heard", sizeof(struct bond_heard), HEARD_SLOTS,
											SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (!state || !state->heard) {
		free(state);
		return NULL;
	}
	module_set_state(router, &bond_module, state);
	return state;
}

struct bond_member *bond_find_member(struct bond *bond, uint16_t port)
{
	for (uint16_t i = 0; i < bond->member_count; i++)
		if (bond->members[i].port == port)
			return &bond->members[i];
	return NULL;
}

bool bond_member_can_send(const struct ws_router *router, const struct bond *bond,
						  const struct bond_member *member)
{
	return router->interfaces[member->port].usable &&
		   (bond->mode != WS_BOND_LACP || member->lacp.mux == LACP_MUX_DISTRIBUTING);
}

bool bond_can_send(const struct ws_router *router, struct bond *bond, uint16_t port)
{
	const struct bond_member *member = bond_find_member(bond, port);
	return member && bond_member_can_send(router, bond, member);
}

void bond_free(struct bond *bond)
{
	free(bond->spread);
	free(bond);
}

static void bonds_free(struct ws_router *router)
{
	struct bond_state *state = bond_state(router);
	if (!state)
		return;
	for (struct bond *bond = state->first, *next; bond; bond = next) {
		next = bond->next;
		bond_free(bond);
	}
	rte_ring_free(state->heard);
}

ROUTER_MODULE_EXTERN(bond_module, .name = "bond", .free = bonds_free)
