/* SPDX-License-Identifier: Apache-2.0 */
/* The router's own packets: answers to pings, advertisements, reports of listeners. */
#pragma once

/* Packets of ours are routed like all others, so ip4-rewrite takes one: 64 leave. */
enum { LOCAL_TTL = 65 };

struct interface_due;
struct ws_router;

/* When interfaces send their next router advertisement, and report of listeners. */
struct interface_due *advertisements_due(const struct ws_router *router);
struct interface_due *reports_due(const struct ws_router *router);
