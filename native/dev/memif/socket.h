/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of memif and their messages. All servers of one path share a socket. */
#pragma once

#include "dev/memif/protocol.h"

#include <stdbool.h>

/* Returns a descriptor, or a negative errno. */
int memif_listen(const char *path);
/* Also removes the socket's file. */
void memif_unlisten(int fd, const char *path);
/* -ENOENT and -ECONNREFUSED: there is no server at the path. */
int memif_connect(const char *path);

bool memif_send(int socket, const struct memif_message *message, int fd);
/* Returns 1 for a message, with `*fd` -1 or a descriptor that the caller owns; 0: none yet; -1:
 * disconnected, or not a memif message. */
int memif_take(int socket, struct memif_message *message, int *fd);
