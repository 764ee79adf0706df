/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of IPv6 on an interface, and the times of its last messages. Main thread only. */
#pragma once

#include "wirespeed/ip6.h"

struct ip6_settings {
	bool enabled;                 /* by command; an address enables IPv6 as well */
	struct ws_address link_local; /* given by the user; family 0: derived from the MAC address */
	struct ws_ip6_advertising advertising;
	uint64_t advertised_tsc, next_advertisement_tsc;
	uint64_t reported_tsc;   /* time of the last listener report; 0: never */
	uint8_t unasked_reports; /* number of unsolicited reports left to send */
	uint8_t dad_transmits;   /* probes per address; 0: none */
	bool has_checked; /* … completed for the current link-local address without a conflict */
};

struct ip6_settings *ip6_settings(const struct ws_router *router, uint16_t index);
