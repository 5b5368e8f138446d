#include "server/prices/feeds.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/limits.h"
#include "common/rows/fields.h"

#define EVERY_MIN 60
#define EVERY_MAX (30LL * 24 * 3600)

static const struct field every = {.name = "every", .min = EVERY_MIN, .max = EVERY_MAX};
static const struct field patience = {.name = "patience", .min = 1, .max = 3600};

bool feeds_next_word(const char **list, char *ret_word, size_t size)
{
    size_t length;

    *list += strspn(*list, ",");
    length = strcspn(*list, ",");
    if (length == 0 || length >= size)
        return false;
    memcpy(ret_word, *list, length);
    ret_word[length] = '\0';
    *list += length;
    return true;
}

static bool feeds_copy(const char *feed, const char *value, char *member, size_t size,
                       struct error *err)
{
    size_t length = strlen(value);

    if (length == 0 || length >= size)
        return error_set(err, ERROR_INVALID, "--feed", "%s: '%.40s' is empty or too long", feed,
                         value);
    memcpy(member, value, length + 1);
    return true;
}

static bool feeds_read_number(const char *feed, const struct field *field, const char *text,
                              long long *ret_number, struct error *err)
{
    struct error why = {0};

    return field_read_text(field, text, ret_number, &why) ||
           error_set(err, ERROR_INVALID, "--feed", "%s: %s %s", feed, why.field, why.message);
}

/* Refuses a list with a word that is too long: the word would end the list when it is read. */
static bool copy_list(const char *feed, const char *value, size_t word_size, char *member,
                      size_t size, struct error *err)
{
    for (const char *word = value; *word; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");

        if (length >= word_size)
            return error_set(err, ERROR_INVALID, "--feed", "%s: '%.40s' is too long", feed, word);
        word += length;
    }
    return feeds_copy(feed, value, member, size, err);
}

/* A path for a feed that reads a file, else a URL. */
static bool copy_url(struct feed *feed, const char *value, struct error *err)
{
    const char *name = feed->source->name, *host;

    if (!feeds_copy(name, value, feed->url, sizeof feed->url, err))
        return false;
    for (char *end = feed->url + strlen(feed->url); end > feed->url + 1 && end[-1] == '/';)
        *--end = '\0';
    host = strstr(feed->url, "://");
    return (feed->source->needs & NEEDS_FILE) ||
           (host && host[3] != '/' &&
            (strncmp(value, "https://", 8) == 0 || strncmp(value, "http://", 7) == 0)) ||
           error_set(err, ERROR_INVALID, "--feed", "%s: the url must be http or https", name);
}

/* "url=https://..." and the other settings with a value; `value` is the text after '='. */
static bool apply_value(struct feed *feed, const char *word, const char *value, struct error *err)
{
    const char *name = feed->source->name;
    size_t length = (size_t)(value - word);

    if (strncmp(word, "url=", length) == 0)
        return copy_url(feed, value, err);
    if (strncmp(word, "regions=", length) == 0)
        return copy_list(name, value, REGION_SIZE, feed->regions, sizeof feed->regions, err);
    if (strncmp(word, "types=", length) == 0)
        return copy_list(name, value, INSTANCE_SIZE, feed->types, sizeof feed->types, err);
    if (strncmp(word, "committed=", length) == 0) {
        feed->committed = strcmp(value, "on") == 0;
        return feed->committed || strcmp(value, "off") == 0 ||
               error_set(err, ERROR_INVALID, "--feed", "%s: committed must be on or off", name);
    }
    if (strncmp(word, "every=", length) == 0)
        return feeds_read_number(name, &every, value, &feed->every_seconds, err);
    if (strncmp(word, "patience=", length) == 0)
        return feeds_read_number(name, &patience, value, &feed->patience_seconds, err);
    return error_set(err, ERROR_INVALID, "--feed", "%s: '%.*s' is not known", name, (int)length,
                     word);
}

static bool apply_word(struct feed *feed, const char *word, struct error *err)
{
    const char *equals = strchr(word, '=');

    if (equals)
        return apply_value(feed, word, equals + 1, err);
    if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
        return error_set(err, ERROR_INVALID, "--feed",
                         "%s: '%.40s' is not known; on, off, url=, regions=, types=, committed=, "
                         "every= and patience= are",
                         feed->source->name, word);
    feed->on = strcmp(word, "on") == 0;
    feed->is_told = true;
    return true;
}

static bool apply_words(struct feed *feed, const char *words, size_t length, struct error *err)
{
    char word[1200];

    while (length > 0) {
        size_t piece = 0;

        while (piece < length && words[piece] != ' ')
            piece++;
        if (piece >= sizeof word)
            return error_set(err, ERROR_INVALID, "--feed", "%s: a word is too long",
                             feed->source->name);
        memcpy(word, words, piece);
        word[piece] = '\0';
        if (piece > 0 && !apply_word(feed, word, err))
            return false;
        words += piece + (piece < length);
        length -= piece + (piece < length);
    }
    return true;
}

/* Refuses a setting that the feed does not use; ignores it if it is for all feeds. */
static bool check_use(struct feed *feed, bool all, struct error *err)
{
    const struct source *source = feed->source;
    const char *unused = NULL;

    if (feed->regions[0] && !(source->needs & NEEDS_REGIONS) && !source->list) {
        feed->regions[0] = '\0';
        unused = "regions=";
    }
    if (feed->types[0] && !(source->needs & NEEDS_TYPES)) {
        feed->types[0] = '\0';
        unused = "types=";
    }
    if (feed->committed && !source->asks_committed) {
        feed->committed = false;
        unused = "committed=";
    }
    return all || !unused ||
           error_set(err, ERROR_INVALID, "--feed", "%s: %s has no use, all of it is read",
                     source->name, unused);
}

static bool refuse_name(const char *name, size_t length, struct error *err)
{
    struct known_names known = {.all = "GET /v1/feeds"};
    char what[80];

    snprintf(what, sizeof what, "there is no feed '%.*s'", length < 40 ? (int)length : 40, name);
    for (const struct source *const *source = sources; *source; source++)
        known_names_add(&known, (*source)->name);
    return error_unknown_name(err, &(struct unknown_name){"--feed", what, name, length}, &known);
}

static bool feeds_apply(struct feeds *feeds, const char *text, size_t length, struct error *err)
{
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : 0;
    bool known = false;

    if (length == 0)
        return true;
    if (!equals)
        return error_set(err, ERROR_INVALID, "--feed", "must be NAME=WORDS, got '%.*s'",
                         length < 60 ? (int)length : 60, text);
    for (size_t i = 0; i < feeds->count; i++) {
        struct feed *feed = &feeds->list[i];
        bool all = name == 3 && strncmp(text, "all", 3) == 0;

        if (!all &&
            (strlen(feed->source->name) != name || strncmp(feed->source->name, text, name) != 0))
            continue;
        known = true;
        if (!apply_words(feed, equals + 1, length - name - 1, err) || !check_use(feed, all, err))
            return false;
    }
    return known || refuse_name(text, name, err);
}

bool feeds_read(const char *text, struct feeds *ret_feeds, struct error *err)
{
    ret_feeds->count = 0;
    for (const struct source *const *source = sources; *source; source++) {
        struct feed *feed = &ret_feeds->list[ret_feeds->count++];

        *feed = (struct feed){
            .source = *source, .on = (*source)->on, .every_seconds = (*source)->period_seconds};
        snprintf(feed->url, sizeof feed->url, "%s", (*source)->url);
    }
    while (*text) {
        size_t length = strcspn(text, ";");

        if (!feeds_apply(ret_feeds, text, length, err))
            return false;
        text += length + (text[length] == ';');
    }
    return true;
}
