/* SPDX-License-Identifier: Apache-2.0 */
/* The graph's hook: traces and captures of packets that enter nodes. */
#pragma once

struct ws_router;

/* Until observe_resume no worker traces or captures, so that their state may change. */
void observe_pause(struct ws_router *router);
void observe_resume(struct ws_router *router);
