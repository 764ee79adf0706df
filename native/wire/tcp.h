/* SPDX-License-Identifier: Apache-2.0 */
/* TCP (RFC 9293). */
#pragma once

enum { TCP_LEN = 20 };
enum {
	TCP_SEQUENCE_AT = 4, /* the acknowledgement number follows */
	TCP_OFFSET_AT = 12,  /* length of the header, in the upper four bits */
	TCP_FLAGS_AT = 13,
	TCP_WINDOW_AT = 14,
	TCP_CHECKSUM_AT = 16,
};
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };
