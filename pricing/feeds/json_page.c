#include "pricing/feeds/json_page.h"

#include "common/cleanup.h"
#include "common/memory.h"

void document_close(void *reader)
{
    struct document *document = reader;

    if (document)
        splitter_free(document->splitter);
    free(document);
}

bool document_again(struct document *document, const struct document_form *form,
                    struct error *err)
{
    struct splitter_rules rules = {.paths = form->paths,
                                   .element_max = form->element_max,
                                   .element = form->element,
                                   .gate = form->gate,
                                   .at_gate = form->at_gate,
                                   .user = document};

    splitter_freep(&document->splitter);
    document->splitter = splitter_new(&rules, err);
    return document->splitter != NULL;
}

void *document_open(const struct document_form *form, const struct reading *reading,
                    struct error *err)
{
    struct document *document = xcalloc(1, form->size);

    document->reading = reading;
    if (document_again(document, form, err))
        return document;
    document_close(document);
    return NULL;
}

void *reader_open(const struct reader_ops *ops, const struct reading *reading, struct error *err)
{
    return ops->form ? document_open(ops->form, reading, err) : ops->open(reading, err);
}

enum fetch_take document_take(void *user, const char *data, size_t length, struct error *err)
{
    switch (splitter_feed(((struct document *)user)->splitter, data, length, err)) {
    case SPLIT_GO_ON:
        return TAKE_MORE;
    case SPLIT_STOP:
        return TAKE_ENOUGH;
    default:
        return TAKE_FAILED;
    }
}
