/* Stands in for the fuzzing engine: gives every file of a directory, and nothing at all, to the
 * target once. So each kept input is a test in every build.
 *     fuzz_query tests/fuzz/corpus/fuzz_query */
#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#define INPUT_MAX (1024 * 1024)

static bool replay(const char *folder, const char *name)
{
    static uint8_t data[INPUT_MAX];
    AUTO(fclosep) FILE *file = NULL;
    struct stat about;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rbe");
    if (!file || fstat(fileno(file), &about) != 0) {
        perror(path);
        return false;
    }
    if (!S_ISREG(about.st_mode))
        return true;
    /* Before the attempt: if it crashes, this is the last line. */
    printf("%s\n", name);
    fflush(stdout);

    size_t size = fread(data, 1, sizeof data, file);
    /* From memory of its own size, so that reading on is seen. */
    AUTO(freep) uint8_t *exact = malloc(size > 0 ? size : 1);
    if (!exact)
        return false;
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    return true;
}

int main(int argc, char *argv[])
{
    struct dirent *entry;
    int replayed = 0;
    bool ok = true;
    DIR *folder;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_DIR\n", argv[0]);
        return 2;
    }
    folder = opendir(argv[1]);
    if (!folder) {
        perror(argv[1]);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') {
            ok = replay(argv[1], entry->d_name) && ok;
            replayed++;
        }
    closedir(folder);
    printf("%d inputs\n", replayed);
    return ok && replayed > 0 ? 0 : 1;
}
