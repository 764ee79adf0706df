/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/region.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Descriptors cannot address more. */
static const uint64_t MOST_BYTES = 1ULL << 32;
/* Larger memory of a peer is not populated in advance: its pages are mapped when they are first
 * used. */
static const uint64_t MOST_POPULATED_BYTES = 256ULL << 20;

static int map(struct memif_region *region, uint64_t size, int fd)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	/* Linux maps a page at its first access, which costs microseconds, and the first lap of a ring
	 * touches thousands of pages. No effect on kernels before 5.14. */
	if (size <= MOST_POPULATED_BYTES)
		madvise(base, size, MADV_POPULATE_WRITE);
	*region = (struct memif_region){.base = base, .size = size, .fd = fd};
	return 0;
}

int memif_region_make(struct memif_region *region, uint64_t size)
{
	int fd = memfd_create("memif_region", MFD_CLOEXEC | MFD_ALLOW_SEALING), error = 0;
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		error = -errno;
	if (!error)
		error = map(region, size, fd);
	if (error)
		close(fd);
	return error;
}

/* An access behind the end of a shrunk file kills the process, so a file that can shrink is
 * refused. Files of huge pages cannot always be sealed; their owners are trusted not to shrink
 * them. */
static bool may_shrink(int fd)
{
	struct statfs file_system;
	int seals = fcntl(fd, F_GET_SEALS);
	if (seals >= 0 && seals & F_SEAL_SHRINK)
		return false;
	if (!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return false;
	return fstatfs(fd, &file_system) || file_system.f_type != HUGETLBFS_MAGIC;
}

const char *memif_region_map(struct memif_region *region, uint64_t size, int fd)
{
	struct stat status;
	const char *reason = NULL;
	if (!size || size > MOST_BYTES)
		reason = "region of no possible size";
	else if (may_shrink(fd))
		reason = "region is not sealed against shrinking";
	else if (fstat(fd, &status) || (uint64_t)status.st_size < size)
		reason = "region is shorter than said";
	else if (map(region, size, fd))
		reason = "region cannot be mapped";
	if (reason)
		close(fd);
	return reason;
}

void memif_region_free(struct memif_region *region)
{
	if (region->base && !region->is_lent) {
		munmap(region->base, region->size);
		close(region->fd);
	}
	*region = (struct memif_region){0};
}
