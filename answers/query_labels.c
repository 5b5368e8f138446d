#include "answers/query_labels.h"

#include "common/cleanup.h"

static bool read_label(const char *text, char key[LABEL_KEY_MAX + 1], struct wanted_label *label,
                       struct error *err)
{
    label->key = key;
    return label_read("label", text, key, &label->value, err);
}

bool query_labels(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                  struct wanted_label labels[RUN_FILTER_LABELS], int *ret_count,
                  struct error *err)
{
    int count = 0;

    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(query->parameters[i].name, "label") != 0)
            continue;
        if (count == RUN_FILTER_LABELS)
            return error_set(err, ERROR_INVALID, "label", "may be given at most %d times",
                             RUN_FILTER_LABELS);
        if (!read_label(query->parameters[i].value, keys[count], &labels[count], err))
            return false;
        count++;
    }
    *ret_count = count;
    return true;
}
