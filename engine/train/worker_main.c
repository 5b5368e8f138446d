/* pennyworth-worker: one process, without other ranks. */
#include "engine/train/worker_program.h"

int main(int argc, char *argv[])
{
    return worker_program(argc, argv, NULL);
}
