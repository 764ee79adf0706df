/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the kernel of a namespace; each call returns after the reply. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_prefix;

/* A socket for requests, separate from the one for events, so that replies do not queue behind
 * these. */
int request_socket(void);

int request_link_index(int fd, const char *name);
int request_state(int fd, int32_t link, bool up);
int request_mtu(int fd, int32_t link, uint32_t mtu);
int request_mac(int fd, int32_t link, const uint8_t *mac);
int request_address(int fd, int32_t link, const struct ws_prefix *prefix, bool add);
/* Returns the new link's number. */
int request_vlan(int fd, const char *name, int32_t parent, uint16_t protocol, uint16_t id);
int request_delete(int fd, int32_t link);
