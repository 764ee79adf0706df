/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that the router sends of its own. */
#ifndef ROUTER_LOCAL_H
#define ROUTER_LOCAL_H

/* They are routed like all others, so ip4-rewrite takes one: 64 leave. */
enum { LOCAL_TTL = 65 };

#endif
