/* A prepared SQLite statement, in the list of its connection. */
#pragma once

#include <stdbool.h>

typedef struct sqlite3_stmt sqlite3_stmt;

struct stmt {
    struct stmt *next; /* of its connection */
    sqlite3_stmt *handle;
    const char *sql;
    int bound;      /* how many ? have a value so far */
    int bind_error; /* what the first failed bind returned */
    bool busy;      /* between stmt_prepare() and stmt_done() */
};
