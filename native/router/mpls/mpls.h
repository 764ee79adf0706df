/* SPDX-License-Identifier: Apache-2.0 */
/* The table of labels. */
#ifndef ROUTER_MPLS_H
#define ROUTER_MPLS_H

struct ws_router;

void router_mpls_free(struct ws_router *router);

#endif
