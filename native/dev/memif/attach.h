/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches a peer's rings to a port's queues, and detaches them. */
#pragma once

#include "dev/memif/control.h"

/* The peer's regions and rings stay where they are until they are taken away. */
void memif_attach(struct memif_port *port, struct memif_peer *peer);
/* When it returns, no worker looks at them any more. */
void memif_detach(struct memif_port *port);
/* A worker found a ring that cannot be. */
bool memif_is_broken(const struct memif_port *port);
