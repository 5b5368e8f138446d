/* Property: whatever the text is, an XML parser finds one element without attributes but ours,
 * and in it and in its attribute the same text, with '?' for what XML cannot hold. */
#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/comparison/xml_text.h"
#include "tests/fuzz/fuzz.h"

#include <expat.h>

#define ROOM (1 << 20)

struct found {
    struct bytes content;
    char *attribute;
    int elements, attributes;
};

static void on_start(void *user, const char *name, const char **attributes)
{
    struct found *found = user;

    ALWAYS(strcmp(name, "e") == 0);
    found->elements++;
    for (; attributes[0]; attributes += 2, found->attributes++) {
        ALWAYS(strcmp(attributes[0], "a") == 0);
        found->attribute = strdup(attributes[1]);
        ALWAYS(found->attribute != NULL);
    }
}

static void on_text(void *user, const char *text, int length)
{
    struct found *found = user;

    ALWAYS(bytes_add(&found->content, text, (size_t)length));
}

/* What a reader of the XML must see. */
static void add_expected(struct bytes *expected, const char *text)
{
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        bool shown;

        length = text_sequence(text, left);
        shown = length > 0 && text_is_clean(text, length) &&
                (length != 3 || memcmp(text, "\xef\xbf", 2) != 0 || (text[2] & 0x3e) != 0x3e);
        ALWAYS(bytes_add(expected, shown ? text : "?", shown ? length : 1));
        length = length > 0 ? length : 1;
    }
}

static void parse(const struct bytes *xml, struct found *found)
{
    XML_Parser parser = XML_ParserCreate("UTF-8");

    ALWAYS(parser != NULL);
    XML_SetUserData(parser, found);
    XML_SetStartElementHandler(parser, on_start);
    XML_SetCharacterDataHandler(parser, on_text);
    ALWAYS(XML_Parse(parser, xml->data, (int)xml->used, 1) == XML_STATUS_OK);
    XML_ParserFree(parser);
}

static size_t characters_of(const char *text)
{
    size_t count = 0;

    for (size_t left = strlen(text), length; left > 0; text += length, left -= length, count++) {
        length = text_sequence(text, left);
        ALWAYS(length > 0);
    }
    return count;
}

FUZZ(data, size)
{
    char *text = fuzz_text(data, size);
    AUTO(bytes_free) struct bytes xml = {.limit = ROOM}, expected = {.limit = ROOM};
    struct found found = {.content = {.limit = ROOM}};
    size_t most = size > 0 ? data[0] % 40 + 1u : 1;

    if (size > ROOM / 16) {
        free(text);
        return;
    }
    add_expected(&expected, text);
    ALWAYS(bytes_printf(&xml, "<e a=\"") && xml_text(&xml, text, SIZE_MAX) &&
           bytes_printf(&xml, "\">") && xml_text(&xml, text, most) && bytes_printf(&xml, "</e>"));
    parse(&xml, &found);
    ALWAYS(found.elements == 1 && found.attributes == 1);
    ALWAYS(strcmp(found.attribute, expected.data ? expected.data : "") == 0);
    ALWAYS(characters_of(found.content.data ? found.content.data : "") <= most);
    free(found.attribute);
    bytes_free(&found.content);
    free(text);
}
