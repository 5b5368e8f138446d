/* pennyworth-worker-mpi: pennyworth-worker on the ranks that mpirun starts, each with its own
 * images. Rank 0 reads the spec and prints; a failure of any rank ends all, with a status that is
 * not 0. */
#include "engine/train/ranks/ranks.h"
#include "engine/train/threads/processor_share.h"
#include "engine/train/worker_program.h"

#include <stdio.h>
#include <string.h>

/* What ranks must have in common before they train. The first makes sure that they understand
 * each other: its text must stay the same in all versions but for the version. */
static bool ranks_main_agree(struct joiner *joiner, int argc, char *argv[], struct error *err)
{
    char arguments[JOINER_TEXT_MAX] = "";
    size_t used = 0;

    for (int i = 1; i < argc && used < sizeof arguments; i++)
        used += (size_t)snprintf(arguments + used, sizeof arguments - used, "%s%s",
                                 i > 1 ? " " : "", argv[i]);
    return joiner_agree(joiner, "version", "pennyworth-worker-mpi " PENNYWORTH_VERSION, err) &&
           joiner_agree(joiner, "command", arguments, err);
}

static int ranks_main_run(struct joiner *joiner, int argc, char *argv[])
{
    struct error err = {0};
    int status, here, index;

    if (joiner->rank > 0 && !freopen("/dev/null", "w", stdout)) {
        perror("pennyworth-worker-mpi: /dev/null");
        return 1;
    }
    if (!ranks_main_agree(joiner, argc, argv, &err)) {
        if (joiner->rank == 0) /* each knows it */
            fprintf(stderr, "pennyworth-worker-mpi: %s\n", err.message);
        return 1;
    }
    ranks_here(joiner, &here, &index);
    processor_share_keep(index, here);
    status = worker_program(argc, argv, joiner);
    if (fflush(stdout) != 0 && status == 0)
        status = 1;
    return status;
}

int main(int argc, char *argv[])
{
    struct error err = {0};
    struct joiner *joiner;

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("pennyworth-worker-mpi " PENNYWORTH_VERSION);
        return 0;
    }
    joiner = ranks_begin(&argc, &argv, &err);
    if (!joiner) {
        fprintf(stderr, "pennyworth-worker-mpi: %s\n", err.message);
        return 1;
    }
    return ranks_end(joiner, ranks_main_run(joiner, argc, argv));
}
