/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link state changes: from drivers with a link interrupt, from the kernel for ports on Linux
 * interfaces, and from the TAPs' thread. Other ports are polled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int links_open(void);
void links_close(void);
/* Request a check of all links; from any thread. */
void links_changed(void);
/* Main thread: read the events that made `ws_links_fd` readable. */
void links_read(void);

/* Watch the port's link in the kernel from now on, if `devargs` name a Linux interface. */
void link_watch(uint16_t port, const char *devargs);
void link_unwatch(uint16_t port);
/* MTU of the port's Linux interface; negative errno on failure, -ENOTSUP if it has none. */
int link_mtu(uint16_t port);
/* Raise the interface's MTU to `mtu` if it is lower; negative errno on failure, -ENOTSUP if the
 * port has none. */
int link_raise_mtu(uint16_t port, uint16_t mtu);
/* Carrier losses of the interface since it was created; negative errno on failure, -ENOTSUP if the
 * port has none. */
int64_t link_losses(uint16_t port);
/* True also for ports without a Linux interface. */
bool link_is_up_in_linux(uint16_t port);
