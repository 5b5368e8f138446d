#include "pricing/machine/credentials_file.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <stdint.h>
#include <strings.h>

#define MARK "\xef\xbb\xbf" /* what some editors put before the first byte */

static const char *const names[] = {"aws_access_key_id", "aws_secret_access_key",
                                    "aws_session_token"};

bool credentials_word(char *member, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= size)
        return false;
    for (const char *c = text; *c; c++)
        if (*c <= 0x20 || *c > 0x7e || *c == '"' || *c == '\'')
            return false;
    memcpy(member, text, length + 1);
    return true;
}

void credentials_file_begin(struct credentials_file *file, const char *profile)
{
    *file = (struct credentials_file){.profile = profile, .number = 1, .indent = SIZE_MAX};
}

/* Cuts the spaces off both ends. */
static char *credentials_trim(char *text)
{
    size_t length;

    while (text_is_blank(*text))
        text++;
    for (length = strlen(text); length > 0 && text_is_blank(text[length - 1]);)
        text[--length] = '\0';
    return text;
}

/* A comment may follow a value, after a space. */
static void cut_comment(char *text)
{
    for (char *c = text; *c; c++)
        if ((*c == '#' || *c == ';') && c > text && text_is_blank(c[-1])) {
            *c = '\0';
            return;
        }
}

static void credentials_refuse(struct credentials_file *file, const char *why)
{
    error_set(&file->error, ERROR_INVALID, NULL, "line %lld of the shared file %s", file->number,
              why);
}

static void take_value(struct credentials_file *file, size_t which, const char *value)
{
    char *const members[] = {file->found.id, file->found.secret, file->found.token};
    const size_t sizes[] = {sizeof file->found.id, sizeof file->found.secret,
                            sizeof file->found.token};

    if (members[which][0])
        credentials_refuse(file, "has a key that was there already");
    else if (*value && !credentials_word(members[which], sizes[which], value))
        credentials_refuse(file, "has a key that is too long, or has in it what no key has");
}

static void read_section(struct credentials_file *file, char *text)
{
    char *end = strchr(text, ']');

    file->inside = false;
    if (!end)
        return;
    *end = '\0';
    file->inside = strcmp(credentials_trim(text + 1), file->profile) == 0;
    file->seen = file->seen || file->inside;
}

static void read_pair(struct credentials_file *file, char *text)
{
    size_t length = strcspn(text, "=:"), which = 0;
    char *value = text + length;

    if (!*value) {
        credentials_refuse(file, "is neither a profile nor a name with a value");
        return;
    }
    *value++ = '\0';
    cut_comment(value);
    text = credentials_trim(text);
    while (which < COUNT(names) && strcasecmp(text, names[which]) != 0)
        which++;
    file->after_ours = which < COUNT(names);
    if (file->after_ours)
        take_value(file, which, credentials_trim(value));
}

static void read_line(struct credentials_file *file)
{
    char *text = file->line;
    size_t indent = 0;

    if (file->number == 1 && strncmp(text, MARK, strlen(MARK)) == 0)
        text += strlen(MARK);
    while (text_is_blank(text[indent]))
        indent++;
    text = credentials_trim(text);
    if (!*text || *text == '#' || *text == ';')
        return;
    if (indent > file->indent) { /* goes on with the value above, even if it looks otherwise */
        if (file->after_ours)
            credentials_refuse(file, "goes on with a key, which must be on one line");
        return;
    }
    file->after_ours = false;
    file->indent = *text == '[' ? SIZE_MAX : indent; /* a profile has no value to go on with */
    if (*text == '[')
        read_section(file, text);
    else if (file->inside && file->overlong)
        credentials_refuse(file, "is too long");
    else if (file->inside)
        read_pair(file, text);
}

static void end_line(struct credentials_file *file)
{
    file->line[file->used] = '\0';
    read_line(file);
    file->number++;
    file->used = 0;
    file->overlong = false;
}

void credentials_file_feed(struct credentials_file *file, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (data[i] == '\n')
            end_line(file);
        else if (file->used + 1 < sizeof file->line)
            /* A NUL would hide the rest; no key has one. */
            file->line[file->used++] = data[i] ? data[i] : '\x7f';
        else
            file->overlong = true;
}

static enum credentials_result credentials_judge(const struct credentials_file *file,
                                                 struct error *err)
{
    const struct credentials *found = &file->found;

    if (file->error.kind != ERROR_NONE) {
        error_set(err, file->error.kind, NULL, "%s", file->error.message);
        return CREDENTIALS_WRONG;
    }
    if (found->id[0] && found->secret[0])
        return CREDENTIALS_FOUND;
    if (!found->id[0] && !found->secret[0])
        return CREDENTIALS_NONE;
    error_set(err, ERROR_INVALID, NULL, "the profile \"%.100s\" of the shared file has no %s",
              file->profile, found->id[0] ? names[1] : names[0]);
    return CREDENTIALS_WRONG;
}

enum credentials_result credentials_file_end(struct credentials_file *file,
                                             struct credentials *ret_credentials,
                                             struct error *err)
{
    enum credentials_result result;

    if (file->used > 0)
        end_line(file);
    result = credentials_judge(file, err);
    if (result == CREDENTIALS_FOUND)
        *ret_credentials = file->found;
    explicit_bzero(&file->found, sizeof file->found);
    explicit_bzero(file->line, sizeof file->line);
    return result;
}
