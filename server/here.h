/* The machine that this server runs on, looked at once, at the start. */
#pragma once

#include "common/error.h"
#include "db/db.h"
#include "engine/machine.h"
#include "engine/possible.h"
#include "engine/vm.h"

#include <stdbool.h>

struct here {
    struct topology topology;
    struct machine machine;
    struct place place; /* for spec_is_possible(), once its dollars are filled in */
    long long number;   /* of its row; db/machines.h */
    char vm[VM_SIZE];   /* what the machine shows; whoami_vm() knows more */
};

/* Tries in a child process what the processor promises, so call it before there are threads. */
bool here_look(struct here *here, struct error *err) __attribute__((warn_unused_result));

/* Stores the machine, unless the database knows it. */
bool here_store(struct here *here, struct db *db, struct error *err)
    __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void here_clear(struct here *here);
