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
/* Any thread: look at the links. */
void links_changed(void);
/* Main thread: take in what `ws_links_fd` became readable for. */
void links_read(void);

/* From now on Linux tells of the port, if `devargs` put it on an interface of Linux's. */
void link_watch(uint16_t port, const char *devargs);
void link_unwatch(uint16_t port);
/* The MTU of the port's interface of Linux; negative as of errno, -ENOTSUP where it has none. */
int link_mtu(uint16_t port);
/* Have the interface carry packets of `mtu` bytes at least; negative as of errno, -ENOTSUP where
 * the port is on none. */
int link_raise_mtu(uint16_t port, uint16_t mtu);
/* Carrier losses of the interface since it was made; negative as of errno, -ENOTSUP
 * where the port is on none. */
int64_t link_losses(uint16_t port);
/* True as well where Linux has no say. */
bool link_is_up_in_linux(uint16_t port);
