/* A comparison as a table, which is there until the next one is made. */
#pragma once

#include "server/http/json/comparison/present_comparison_csv.h"
#include "server/http/json/comparison/present_comparison_markdown.h"
#include "tests/answers/compare/comparison.h"

static inline char *presented(const struct stage *stage,
                              bool (*present)(struct bytes *, const struct comparison_question *,
                                              const struct ranking *))
{
    static struct bytes text;

    bytes_free(&text);
    text.limit = 1 << 20;
    EXPECT(present(&text, &stage->question, &stage->ranking));
    return text.data;
}

static inline char *csv_of(struct stage *stage, const char *question)
{
    compare(stage, question);
    return presented(stage, present_comparison_csv);
}

static inline char *markdown_of(struct stage *stage, const char *question)
{
    compare(stage, question);
    return presented(stage, present_comparison_markdown);
}
