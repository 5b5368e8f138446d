/* The shared file of AWS's tools, read line by line as it comes: sections of one profile each,
 * with names and values. Nothing here allocates, and no message tells a value. */
#pragma once

#include "pricing/machine/credentials_question.h"

#define CREDENTIALS_LINE_MAX 4352 /* the longest token, its name, and some spaces */

struct credentials_file {
    const char *profile; /* whose keys are wanted; lives as long as this */
    char line[CREDENTIALS_LINE_MAX];
    size_t used;
    bool overlong;
    long long number; /* of the line */
    bool inside;      /* the wanted profile */
    bool seen;        /* it was there, with keys or without */
    size_t indent;    /* of the last name; what is deeper belongs to it */
    bool after_ours;  /* and that name was one of ours */
    struct credentials found;
    struct error error; /* the first thing that was wrong with the wanted profile */
};

void credentials_file_begin(struct credentials_file *file, const char *profile);
void credentials_file_feed(struct credentials_file *file, const char *data, size_t length);

/* At the end of the bytes. CREDENTIALS_NONE where the profile has no keys at all; see `seen`.
 * Whatever it returns, no key is left in *file. */
MUST_USE enum credentials_result credentials_file_end(struct credentials_file *file,
                                                      struct credentials *ret_credentials,
                                                      struct error *err);

/* Copies one key. False where it does not fit, is empty, or has in it what no key has: spaces,
 * quotes, anything but printable ASCII. */
MUST_USE bool credentials_word(char *member, size_t size, const char *text);
