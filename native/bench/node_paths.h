/* SPDX-License-Identifier: Apache-2.0 */
/* The paths through the router that are measured, and the routes that their packets take. */
#ifndef NODE_PATHS_H
#define NODE_PATHS_H

#include "bench/node_rig.h"

#include <stdint.h>

enum {
	/* The interfaces that do not route: the other end of one is e1, of the other a tunnel. */
	NODE_PATHS_L2 = 2,
	NODE_PATHS_TUNNEL,
	NODE_PATHS_MEMBER, /* of a bond, which is cross-connected to the next one */
	NODE_PATHS_BONDED,
	NODE_PATHS_SECOND, /* another member */
	NODE_PATHS_LABEL = 16,
	NODE_PATHS_SESSION_FLOWS = 4096,
	NODE_PATHS_VNI = 100,
};

extern const struct node_path path_acl, path_reflect;
/* ip4, with strict unicast RPF; and while routes and adjacencies count. */
extern const struct node_path path_urpf, path_count;
extern const struct node_path path_ip4, path_ip6, path_mpls, path_l2xc, path_vxlan_out,
	path_vxlan_in, path_sflow, path_bond_out, path_bond_two, path_bond_in;

/*
 * Route i: eight /24s apart, so that a million of them lie in half of the addresses, as those of
 * the Internet do; three of five are /24s, the others /23s and /22s.
 */
uint32_t route_address(uint32_t i);
uint8_t route_length(uint32_t i);

/*
 * Route i of IPv6: eight for each /32, those spread over the /12s that registries give out of; half
 * of them /48s, as in the Internet.
 */
void route_address6(uint32_t i, uint8_t *address);
uint8_t route_length6(uint32_t i);

#endif
