/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching of a peer's rings to a port's queues, and detaching. */
#pragma once

#include "dev/memif/control.h"

/* The peer's regions and rings must stay in place until they are detached. */
void memif_attach(struct memif_port *port, struct memif_peer *peer);
/* When it returns, no worker uses the rings any more. */
void memif_detach(struct memif_port *port);
/* True if a worker has found an invalid ring. */
bool memif_is_broken(const struct memif_port *port);
