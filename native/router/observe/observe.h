/* SPDX-License-Identifier: Apache-2.0 */
/* The graph's hook: the observers of packets that enter nodes. */
#pragma once

struct ws_router;

/* Until observe_resume nobody looks, so that what is looked with may change. */
void observe_pause(struct ws_router *router);
void observe_resume(struct ws_router *router);
