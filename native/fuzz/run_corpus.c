/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over every file of a directory: run_corpus DIRECTORY. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat status;
	if (!file || fstat(fileno(file), &status))
		abort();
	size_t size = (size_t)status.st_size;
	uint8_t *bytes = malloc(size + 1);
	FUZZ_ASSERT(bytes && fread(bytes, 1, size, file) == size);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
}

int main(int argc, char **argv)
{
	DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
	int count = 0;
	if (!directory) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	LLVMFuzzerInitialize(&argc, &argv);
	for (struct dirent *entry; (entry = readdir(directory));) {
		char path[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		run_file(path);
		count++;
	}
	closedir(directory);
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
