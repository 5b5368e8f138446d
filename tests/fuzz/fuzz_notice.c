/* Property: whatever AWS or Azure answers, a notice is a whole sentence of the words that are
 * known, its time is one that exists or none, and what is no notice leaves nothing written. */
#include "pricing/machine/preemption_notice.h"

#include "tests/fuzz/fuzz.h"

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return tail <= length && strcmp(text + length - tail, end) == 0;
}

static void check_notice(const struct notice *notice, const char *cloud)
{
    ALWAYS(memchr(notice->why, '\0', sizeof notice->why) != NULL);
    ALWAYS(strncmp(notice->why, cloud, strlen(cloud)) == 0);
    ALWAYS(ends_with(notice->why, ")")); /* not cut off */
    ALWAYS(notice->at_us >= 0 && notice->at_us < 253402300800000000);
    ALWAYS((strstr(notice->why, " at ") != NULL) == (notice->at_us > 0));
    for (const char *c = notice->why; *c; c++)
        ALWAYS(*c >= ' ' && *c < 0x7f);
}

static void check_untouched(const struct notice *notice, const struct error *err, bool failed)
{
    static const struct notice nothing;

    ALWAYS(memcmp(notice, &nothing, sizeof *notice) == 0);
    ALWAYS(failed == (err->kind == ERROR_UPSTREAM));
    ALWAYS(failed == (err->message[0] != '\0'));
}

/* A name that it may be asked for: of the first line, where that is one. */
static void name_of(const char *text, size_t size, char ret_name[64])
{
    size_t length = 0;

    while (length < size && length < 63 && text[length] > ' ' && text[length] < 0x7f)
        length++;
    memcpy(ret_name, text, length);
    ret_name[length] = '\0';
}

FUZZ(data, size)
{
    const char *text = (const char *)data;
    struct notice aws = {.at_us = 0}, azure = {.at_us = 0}, ours = {.at_us = 0};
    struct error err = {0};
    bool leaving = false, leaving_ours = false;
    char name[64];

    if (preemption_notice_read_aws(text, size, &aws, &err))
        check_notice(&aws, "AWS takes this machine back");
    else
        check_untouched(&aws, &err, true);
    error_clear(&err);
    bool read = preemption_notice_read_azure(text, size, "", &azure, &leaving, &err);
    if (read && leaving)
        check_notice(&azure, "Azure takes this machine back");
    else
        check_untouched(&azure, &err, !read);
    /* A caller that knows the name gets no more than one that does not. */
    error_clear(&err);
    if (size > 0)
        name_of(text, size, name);
    if (size > 0 && preemption_notice_read_azure(text, size, name, &ours, &leaving_ours, &err))
        ALWAYS(!leaving_ours || leaving);
}
