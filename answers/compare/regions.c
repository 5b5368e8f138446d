/* Tested by tests/api/test_out_of_the_box.py. */
#include "answers/compare/regions.h"

#include "common/cleanup.h"
#include "db/prices/price_places.h"

/* The regions so far; their texts are in the question. */
struct list {
    struct comparison_question *question;
    const char *regions[QUESTION_LIST_MAX + 1];
    size_t count, used;
};

static bool regions_has(const struct list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->regions[i]) == length && strncmp(list->regions[i], name, length) == 0)
            return true;
    return false;
}

static void regions_add(struct list *list, const char *name, size_t length)
{
    char *texts = list->question->regions_text;

    if (length == 0 || list->count == QUESTION_LIST_MAX ||
        list->used + length + 1 > sizeof list->question->regions_text ||
        regions_has(list, name, length))
        return;
    list->regions[list->count++] = texts + list->used;
    memcpy(texts + list->used, name, length);
    texts[list->used + length] = '\0';
    list->used += length + 1;
}

/* Keeps regions with a price; keeps all if none has one, so that the question has a region. */
static bool drop_unread(struct db *db, struct list *list, size_t first, struct error *err)
{
    size_t kept = first;

    for (size_t i = first; i < list->count; i++) {
        bool has_price;

        if (!price_places_has_region(db, list->regions[i], &has_price, err))
            return false;
        if (has_price)
            list->regions[kept++] = list->regions[i];
    }
    if (kept > 0)
        list->count = kept;
    return true;
}

bool comparison_default_regions(struct db *db, const char *wanted,
                                struct comparison_question *question, struct error *err)
{
    struct offers_question *where = &question->where;
    struct list list = {.question = question};
    char here[REGION_SIZE] = "";

    if (!where->at_home)
        return true;
    /* Up to here it holds only the machine's own region, if any. */
    snprintf(here, sizeof here, "%.*s", REGION_SIZE - 1, question->regions_text);
    regions_add(&list, here, strlen(here));
    for (const char *word = wanted; *word; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");

        regions_add(&list, word, length);
        word += length;
    }
    for (const char *const *usual = usual_regions; *usual; usual++)
        regions_add(&list, *usual, strlen(*usual));
    if (!drop_unread(db, &list, here[0] != '\0', err))
        return false;
    list.regions[list.count] = NULL;
    memcpy(where->regions, list.regions, sizeof where->regions);
    return true;
}
