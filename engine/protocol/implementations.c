#include "engine/protocol/implementations.h"

#include "common/cleanup.h"
#include "common/json_text.h"

static bool implementations_refuse(struct error *err, const char *reason)
{
    return error_set(err, ERROR_INVALID, "implementations", "%s", reason);
}

/* These words end up on pages. */
static bool check_word(const char *word, struct error *err)
{
    size_t length = word ? strlen(word) : 0;

    if (length < 1 || length > IMPLEMENTATION_NAME_MAX)
        return error_set(err, ERROR_INVALID, "implementations",
                         "must hold words of 1 to %d bytes, got %zu", IMPLEMENTATION_NAME_MAX,
                         length);
    for (size_t i = 0; i < length; i++)
        if (word[i] < 0x20 || word[i] > 0x7e)
            return implementations_refuse(err, "must hold only printable ASCII");
    return true;
}

static bool check_passes(json_t *passes, struct error *err)
{
    const char *pass;
    json_t *name;

    if (!json_is_object(passes))
        return implementations_refuse(err, "must be an object of objects of strings");
    json_object_foreach(passes, pass, name)
    {
        if (!json_is_string(name))
            return implementations_refuse(err, "must be an object of objects of strings");
        if (!check_word(pass, err) || !check_word(json_string_value(name), err))
            return false;
    }
    return true;
}

static char *text_of(json_t *layers, struct error *err)
{
    AUTO(freep) char *text = json_text(layers);

    if (strlen(text) <= IMPLEMENTATIONS_MAX)
        return take(&text);
    error_set(err, ERROR_INVALID, "implementations", "must have at most %d bytes, got %zu",
              IMPLEMENTATIONS_MAX, strlen(text));
    return NULL;
}

char *implementations_from_json(json_t *json, struct error *err)
{
    const char *layer;
    json_t *passes;

    if (!json_is_object(json)) {
        implementations_refuse(err, "must be an object of objects of strings");
        return NULL;
    }
    json_object_foreach(json, layer, passes)
    {
        if (!check_word(layer, err) || !check_passes(passes, err))
            return NULL;
    }
    return text_of(json, err);
}

static bool implementations_add(json_t *layers, const struct implementation *one,
                                struct error *err)
{
    json_t *passes;

    if (!check_word(one->layer, err) || !check_word(one->pass, err) ||
        !check_word(one->name, err))
        return false;
    passes = json_object_get(layers, one->layer);
    if (!passes)
        json_object_set_new(layers, one->layer, passes = json_object());
    if (json_object_get(passes, one->pass))
        return error_set(err, ERROR_INVALID, "implementations", "has '%s' of '%s' twice",
                         one->pass, one->layer);
    json_object_set_new(passes, one->pass, json_string(one->name));
    return true;
}

char *implementations_to_text(const struct implementation *list, size_t count, struct error *err)
{
    AUTO(json_decrefp) json_t *layers = json_object();

    for (size_t i = 0; i < count; i++)
        if (!implementations_add(layers, &list[i], err))
            return NULL;
    return text_of(layers, err);
}
