#include "server/http/json/comparison/row_fields.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "server/http/json/comparison/present_row.h"

/* The member of an object that stands `place` behind its first one; NULL behind the last. */
static const struct member *member_at(const struct members *members, size_t *place)
{
    for (const struct member *row = members->rows; row->name; row++) {
        const struct member *found =
            row->type != MEMBER_PART ? row : member_at(row->members, place);

        if (found == row ? (*place)-- == 0 : found != NULL)
            return found;
    }
    return NULL;
}

static const struct member *field_at(size_t place)
{
    return member_at(&comparison_row_members, &place);
}

/* Whether a list like "id,rank" has the name. */
static bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && strncmp(list, name, length) == 0)
            return true;
    return false;
}

const char *row_field_name(size_t place)
{
    const struct member *field = field_at(place);

    return field ? field->name : place > 0 && field_at(place - 1) ? "all" : NULL;
}

static bool check_name(const char *parameter, const char *name, size_t length, struct error *err)
{
    const struct unknown_name unknown = {
        parameter, "names something that is not a member of a row", name, length};
    struct known_names known = {.all = "docs/api.md"};
    const char *each;

    for (size_t i = 0; (each = row_field_name(i)) != NULL; i++) {
        if (strlen(each) == length && strncmp(each, name, length) == 0)
            return true;
        known_names_add(&known, each);
    }
    return error_unknown_name(err, &unknown, &known);
}

bool row_fields_read(const char *parameter, const char *text, struct row_fields_asked *ret_asked,
                     struct error *err)
{
    bool all = text && list_has(text, "all");
    const struct member *field;
    size_t count = 0;

    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");

        if (!check_name(parameter, at, length, err))
            return false;
        at = at[length] ? at + length + 1 : NULL;
    }
    for (size_t i = 0; (field = field_at(i)) != NULL && count < ROW_FIELDS_MAX - 1; i++)
        if (all || i == 0 || (text ? list_has(text, field->name) : !field->on_request))
            ret_asked->names[count++] = field->name;
    ret_asked->names[count] = NULL;
    return true;
}
