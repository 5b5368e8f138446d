/* Reads the shared file of AWS's tools line by line: sections of one profile each, with names and
 * values. Allocates nothing, and no message quotes a value. */
#pragma once

#include "pricing/machine/credentials_question.h"

#define CREDENTIALS_LINE_MAX 4352 /* the longest token, its name, and some spaces */

struct credentials_file {
    const char *profile; /* the wanted profile; must outlive this */
    char line[CREDENTIALS_LINE_MAX];
    size_t used;
    bool overlong;
    long long number; /* of the line */
    bool inside;      /* in the wanted profile */
    bool seen;        /* the profile exists, with keys or without */
    size_t indent;    /* of the last name; deeper lines belong to it */
    bool after_ours;  /* that name was one we read */
    struct credentials found;
    struct error error; /* the first fault in the wanted profile */
};

void credentials_file_begin(struct credentials_file *file, const char *profile);
void credentials_file_feed(struct credentials_file *file, const char *data, size_t length);

/* At the end of the bytes. CREDENTIALS_NONE if the profile has no keys; see `seen`. No key stays
 * in *file, whatever the result. */
MUST_USE enum credentials_result credentials_file_end(struct credentials_file *file,
                                                      struct credentials *ret_credentials,
                                                      struct error *err);

/* Copies one key. False if it does not fit, is empty, or has characters that no key has: spaces,
 * quotes, anything but printable ASCII. */
MUST_USE bool credentials_word(char *member, size_t size, const char *text);
