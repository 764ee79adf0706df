/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/control/command.h"

#include "dev/error.h"

#include <errno.h>
#include <stdlib.h>

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
	return fail(-EINVAL, "a factor of %g; give one above 0, at most 1e9", factor);
}

int command_check_profiles(const uint32_t *profiles, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (profiles[i - 1] >= profiles[i])
			return fail(-EINVAL, "profile %u behind profile %u; they have to ascend", profiles[i],
						profiles[i - 1]);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

int64_t command_profile(const struct command *command, uint32_t profile)
{
	const uint32_t *found =
		bsearch(&profile, command->profiles, command->profile_count, sizeof(profile), compare);
	return found ? found - command->profiles : -1;
}
