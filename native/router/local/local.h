/* SPDX-License-Identifier: Apache-2.0 */
/* What the router says of its own: answers to pings, advertisements, reports of listeners. */
#ifndef ROUTER_LOCAL_H
#define ROUTER_LOCAL_H

struct router_event;
struct ws_router;

/* Packets of ours are routed like all others, so ip4-rewrite takes one: 64 leave. */
enum { LOCAL_TTL = 65 };

/* Make and send a router advertisement to a host that asked. */
void router_solicited(struct ws_router *router, const struct router_event *event);
/* Somebody asked what groups the interface listens to. */
void router_mld_queried(struct ws_router *router, const struct router_event *event);
void router_echo_replied(struct ws_router *router, const struct router_event *event);

#endif
