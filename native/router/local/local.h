/* SPDX-License-Identifier: Apache-2.0 */
/* The router's own packets: echo replies, advertisements, listener reports. */
#pragma once

/* The router's own packets are routed like all others, and ip4-rewrite decrements the TTL: they
 * leave with 64. */
enum { LOCAL_TTL = 65 };

struct interface_due;
struct ws_router;

/* Times of the interfaces' next router advertisements, and of their listener reports. */
struct interface_due *advertisements_due(const struct ws_router *router);
struct interface_due *reports_due(const struct ws_router *router);
