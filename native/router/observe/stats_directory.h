/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the words of the statistics block. */
#ifndef ROUTER_STATS_DIRECTORY_H
#define ROUTER_STATS_DIRECTORY_H

struct ws_router;

/* Of the interfaces and of the nodes as they are now. */
void stats_directory_write(struct ws_router *router);

#endif
