#include "engine/process/loaded_libraries.h"

#include "common/cleanup.h"
#include "common/limits.h"
#include "common/rows/fields.h"
#include "common/rows/members.h"
#include "common/text.h"
#include "engine/machine/proc.h"

#include <string.h>

/* What is used, and what the name of its file begins with. LLVM's runtime is loaded in front of
 * GNU's and answers for it; so the first that is found wins, and the word before it is for none.
 */
static const char *const allocators[] = {"system", "tcmalloc", "jemalloc", "mimalloc", NULL};
static const char *const allocator_files[] = {"libtcmalloc", "libjemalloc", "libmimalloc"};
static const char *const runtimes[] = {"none", "intel", "llvm", "gnu", NULL};
static const char *const runtime_files[] = {"libiomp5", "libomp", "libgomp"};

/* The place of the file in the list, from 1, if it is before *found, which 0 is not. */
static void look_at_file(const char *name, const char *const *files, size_t count, size_t *found)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, files[i], strlen(files[i])) == 0 && (*found == 0 || i < *found))
            *found = i + 1;
}

void loaded_libraries_read(const char *root, pid_t process, struct loaded_libraries *ret_loaded)
{
    AUTO(fclosep) FILE *maps = proc_open(root, "/proc/%d/maps", (int)process);
    struct loaded_libraries loaded = {.dnn = ""};
    size_t allocator = 0, runtime = 0;
    char line[1024];

    while (maps && fgets(line, sizeof line, maps)) {
        const char *slash = strrchr(line, '/');

        line[strcspn(line, "\n")] = '\0';
        if (!slash)
            continue;
        look_at_file(slash + 1, allocator_files, COUNT(allocator_files), &allocator);
        look_at_file(slash + 1, runtime_files, COUNT(runtime_files), &runtime);
        if (strncmp(slash + 1, "libdnnl", strlen("libdnnl")) == 0) {
            snprintf(loaded.dnn, sizeof loaded.dnn, "%.63s", slash + 1);
            text_make_line(loaded.dnn, strlen(loaded.dnn));
        }
    }
    loaded.allocator = allocators[allocator];
    loaded.openmp = runtimes[runtime];
    *ret_loaded = loaded;
}

static const struct member rows[] = {
    {MEMBER(struct loaded_libraries, allocator), .words = allocators},
    {MEMBER(struct loaded_libraries, openmp), .words = runtimes},
    {MEMBER(struct loaded_libraries, dnn), .nullable = true, .pattern = MEMBER_PRINTABLE,
     .schema = "{\"maxLength\": " LIMIT_TEXT(LIBRARY_FILE_MAX) "}"},
    {0},
};
const struct members loaded_members = {
    .name = "Loaded",
    .meaning = "Libraries found in the memory map of the engine's process.",
    .rows = rows};

static bool check_word(const struct member *row, const char *word, struct error *err)
{
    const struct field field = {.name = row->name, .type = FIELD_CHOICE, .choices = row->words};
    const char *known;

    return field_read_text(&field, word, &known, err);
}

bool loaded_libraries_check(const struct loaded_libraries *loaded, struct error *err)
{
    return check_word(&rows[0], loaded->allocator, err) &&
           check_word(&rows[1], loaded->openmp, err);
}

char *loaded_libraries_to_text(const struct loaded_libraries *loaded)
{
    return members_to_text(&loaded_members, loaded);
}
