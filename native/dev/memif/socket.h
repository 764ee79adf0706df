/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of memif, shared by the servers of one path, and their messages. */
#pragma once

#include "dev/memif/protocol.h"

#include <stdbool.h>

/* A descriptor, or a negative errno. */
int memif_listen(const char *path);
/* Its file goes with it. */
void memif_unlisten(int fd, const char *path);
/* -ENOENT and -ECONNREFUSED: no server there. */
int memif_connect(const char *path);

bool memif_send(int socket, const struct memif_message *message, int fd);
/* 1: a message, with `*fd` -1 or a descriptor that is the caller's; 0: none for now; -1: the end,
 * or no message of memif's. */
int memif_take(int socket, struct memif_message *message, int *fd);
