/* SPDX-License-Identifier: Apache-2.0 */
/* TCP (RFC 9293). */
#pragma once

enum { TCP_FLAGS_AT = 13 };
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };
