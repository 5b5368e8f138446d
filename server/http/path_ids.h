/* What the {id} of a path is: one row for each kind of path that has one. */
#pragma once

struct path_id {
    const char *begin;     /* of the patterns: "/v1/runs/" */
    const char *parameter; /* a key of openapi.json */
    const char *names;     /* what a struct run_id names: "run" or "sweep"; NULL: it is none */
};

/* NULL where the pattern has no {id}. */
const struct path_id *path_id_of(const char *pattern);
