/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/address.h"

#include <arpa/inet.h>

_Static_assert(ADDRESS_TEXT_LEN == INET6_ADDRSTRLEN, "the longest address fits");

const char *address_format(char *text, const struct ws_address *address)
{
	return inet_ntop(address->family == WS_IP4 ? AF_INET : AF_INET6, address->bytes, text,
					 ADDRESS_TEXT_LEN);
}
