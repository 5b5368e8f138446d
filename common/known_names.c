#include "common/known_names.h"

#include "common/text.h"

#include <stdio.h>
#include <string.h>

#define NEAREST 6
#define LIST_SIZE 160 /* bytes of an error's message for names */

void known_names_add(struct known_names *known, const char *name)
{
    if (known->count < KNOWN_NAMES_MAX)
        known->list[known->count++] = name;
}

void known_names_add_all(struct known_names *known, const char *const names[])
{
    for (; *names; names++)
        known_names_add(known, *names);
}

/* Appends a name if all of it fits. */
static bool names_append(char text[LIST_SIZE], const char *name)
{
    size_t used = strlen(text), length = strlen(name);

    if (used + length + 3 > LIST_SIZE)
        return false;
    snprintf(text + used, LIST_SIZE - used, "%s%.*s", used > 0 ? ", " : "", (int)length, name);
    return true;
}

static bool list_all(const struct known_names *known, char ret_text[LIST_SIZE])
{
    ret_text[0] = '\0';
    for (size_t i = 0; i < known->count; i++)
        if (!names_append(ret_text, known->list[i]))
            return false;
    return true;
}

/* Of equally near names, the first of the list. */
static void list_nearest(const struct known_names *known, const struct unknown_name *unknown,
                         char ret_text[LIST_SIZE])
{
    bool taken[KNOWN_NAMES_MAX] = {false};

    ret_text[0] = '\0';
    for (size_t round = 0; round < NEAREST && round < known->count; round++) {
        size_t best = known->count, best_likeness = 0;

        for (size_t i = 0; i < known->count; i++) {
            size_t likeness = text_likeness(unknown->name, unknown->length, known->list[i],
                                            strlen(known->list[i]));

            if (!taken[i] && (best == known->count || likeness > best_likeness)) {
                best = i;
                best_likeness = likeness;
            }
        }
        taken[best] = true;
        names_append(ret_text, known->list[best]);
    }
}

bool error_unknown_name(struct error *err, const struct unknown_name *unknown,
                        const struct known_names *known)
{
    char text[LIST_SIZE];

    if (known->count == 0)
        return error_set(err, ERROR_INVALID, unknown->field, "%s; none is known here",
                         unknown->what);
    if (list_all(known, text))
        return error_set(err, ERROR_INVALID, unknown->field, "%s; known are %s", unknown->what,
                         text);
    list_nearest(known, unknown, text);
    return error_set(err, ERROR_INVALID, unknown->field, "%s; the nearest of %zu are %s%s%s%s",
                     unknown->what, known->count, text, known->all ? "; " : "",
                     known->all ? known->all : "", known->all ? " lists all" : "");
}

bool known_names_check(const char *const names[], const char *name, struct error *err)
{
    const struct unknown_name unknown = {name, "is not a known field", name, strlen(name)};
    struct known_names known = {.all = "docs/api.md"};

    for (const char *const *each = names; *each; each++)
        if (strcmp(*each, name) == 0)
            return true;
    known_names_add_all(&known, names);
    return error_unknown_name(err, &unknown, &known);
}
