/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WIRESPEED_URPF_H
#define WIRESPEED_URPF_H

#include <stdint.h>

struct ws_router;

/* Whose packets an interface takes: everybody's, those of sources that any route leads back to, or
 * only those whose route leads back by that interface (RFC 3704). */
enum ws_urpf_mode { WS_URPF_OFF = 0, WS_URPF_LOOSE, WS_URPF_STRICT };

int ws_router_set_urpf(struct ws_router *router, uint16_t index, uint8_t family, int32_t mode);
/* The mode, or a negative errno. */
int ws_router_urpf(struct ws_router *router, uint16_t index, uint8_t family);

#endif
