/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/control/command.h"

#include "dev/error.h"

#include <errno.h>

int command_check_port(const struct ws_generator *generator, uint16_t port)
{
	if (port < generator->port_count)
		return 0;
	return fail(-ENODEV, "there is no port %u; there are %u", port, generator->port_count);
}

int command_check_factor(double factor)
{
	if (factor > 0 && factor <= 1e9)
		return 0;
	return fail(-EINVAL, "a factor of %g; above 0 to 1e9 is possible", factor);
}
