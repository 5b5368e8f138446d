/* Settings of each price feed: the option --feed NAME=WORDS, and defaults. */
#pragma once

#include "pricing/feeds/source.h"

#define FEEDS_MAX 24

struct feed {
    const struct source *source;
    bool committed;   /* also read prices of commitments */
    bool on, is_told; /* is_told: the settings say whether it is on */
    char url[512];
    char regions[1024]; /* with commas; "" for the default */
    char types[1024];
    long long every_seconds;
    long long patience_seconds; /* 0: the default */
};

struct feeds {
    size_t count;
    struct feed list[FEEDS_MAX];
};

/* `text`: "NAME=WORDS;NAME=WORDS", NAME one of the sources or "all"; WORDS of on, off, url=...,
 * regions=a,b, types=a,b, committed=on, every=SECONDS, patience=SECONDS. */
MUST_USE bool feeds_read(const char *text, struct feeds *ret_feeds, struct error *err);

/* Walks a list with commas: copies the next word, false at the end. */
bool feeds_next_word(const char **list, char *ret_word, size_t size);
