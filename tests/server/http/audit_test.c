#include "server/http/audit.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "tests/threads.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* An audit in a folder of its own. */
struct place {
    char folder[40], file[64], moved[64];
    struct audit *audit;
};

static void begin(void (*test)(struct place *place))
{
    struct place place = {.folder = "/tmp/pennyworth-audit-XXXXXX"};

    EXPECT(mkdtemp(place.folder) != NULL);
    snprintf(place.file, sizeof place.file, "%s/audit", place.folder);
    snprintf(place.moved, sizeof place.moved, "%s/audit.1", place.folder);
    place.audit = audit_open(place.file, NULL);
    EXPECT(place.audit != NULL);
    test(&place);
    audit_free(place.audit);
    unlink(place.file);
    unlink(place.moved);
    rmdir(place.folder);
}

#define TEST_WITH_AUDIT(name) TEST_GIVEN(name, struct place *place, begin)

static char *content(const char *path)
{
    char *text = calloc(1, 1 << 20);
    FILE *in = fopen(path, "r");

    if (in && text)
        (void)!fread(text, 1, (1 << 20) - 1, in);
    if (in)
        fclose(in);
    return text;
}

static const struct audit_entry entry = {.at_us = 1767323045000000,
                                         .who = "c1",
                                         .method = "POST",
                                         .path = "/v1/runs/import",
                                         .status = 200,
                                         .bytes = 12};

TEST_WITH_AUDIT(raw_bytes_of_a_path_leave_the_line_json)
{
    struct audit_entry odd = entry;

    odd.path = "/v1/\xff\xc3(\x1b\xe2\x82";
    audit_write(place->audit, &odd);
    AUTO(freep) char *text = content(place->file);
    AUTO(json_decrefp) json_t *line = json_loads(text, 0, NULL);
    EXPECT(line);
    EXPECT_STR(json_string_value(json_object_get(line, "path")), "/v1/?\?(???");
}

TEST_WITH_AUDIT(a_line_has_the_token_the_request_and_the_result)
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct audit_entry first = entry, second = entry, third = entry;
    struct stat about;

    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    first.from = (const struct sockaddr *)(const void *)&four;
    first.counts = true;
    first.imported = 3;
    first.known = 2;
    first.refused = 1;
    second.from = (const struct sockaddr *)(const void *)&six;
    second.who = NULL;
    second.id = (struct run_id){"01ARZ3NDEKTSV4RRFFQ69G5FAV"};
    third.status = 0;
    audit_write(place->audit, &first);
    audit_write(place->audit, &second);
    audit_write(place->audit, &third);
    AUTO(freep) char *text = content(place->file);
    EXPECT_STR(
        text, "{\"at\":\"2026-01-02T03:04:05.000Z\",\"who\":\"c1\",\"from\":\"127.0.0.1\","
              "\"method\":\"POST\",\"path\":\"/v1/runs/import\",\"status\":200,\"bytes\":12,"
              "\"imported\":3,\"known\":2,\"refused\":1}\n"
              "{\"at\":\"2026-01-02T03:04:05.000Z\",\"who\":null,\"from\":\"::1\","
              "\"method\":\"POST\",\"path\":\"/v1/runs/import\",\"status\":200,\"bytes\":12,"
              "\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"}\n"
              "{\"at\":\"2026-01-02T03:04:05.000Z\",\"who\":\"c1\",\"from\":null,"
              "\"method\":\"POST\",\"path\":\"/v1/runs/import\",\"status\":null,\"bytes\":12}\n");
    EXPECT_INT(stat(place->file, &about), 0);
    EXPECT_INT(about.st_mode & 0777, 0600);
}

TEST_WITH_AUDIT(a_path_cannot_end_a_line_and_a_long_one_is_cut_between_letters)
{
    struct audit_entry odd = entry;
    char path[1000];

    odd.path = "/a\"b\nc";
    audit_write(place->audit, &odd);
    memset(path, 'x', sizeof path);
    path[999] = '\0';
    memcpy(path + 199, "\xc3\xa9", 2);
    odd.path = path;
    audit_write(place->audit, &odd);
    AUTO(freep) char *text = content(place->file);
    EXPECT(strstr(text, "\"path\":\"/a\\\"b\\u000ac\"") ||
           strstr(text, "\"path\":\"/a\\\"b\\nc\""));
    EXPECT_PART(text, "xxx\",\"status\":200");
    EXPECT(strchr(text, '\xc3') == NULL);
    EXPECT(strlen(text) < 600);
}

TEST_WITH_AUDIT(a_file_is_begun_anew_where_the_old_one_was_moved_away)
{
    audit_write(place->audit, &entry);
    EXPECT_INT(rename(place->file, place->moved), 0);
    audit_write(place->audit, &entry);
    EXPECT(audit_reopen(place->audit, NULL));
    audit_write(place->audit, &entry);
    AUTO(freep) char *old = content(place->moved), *new = content(place->file);
    EXPECT_INT((long long)strlen(old), 2 * (long long)strlen(new));
}

TEST_WITH_AUDIT(an_audit_file_that_cannot_be_opened_is_refused_and_the_old_one_stays)
{
    EXPECT_INVALID(audit_open("/nonexistent/audit", &err), "--audit");
    EXPECT(!audit_open("/", NULL));
    EXPECT_INT(rename(place->file, place->moved), 0);
    EXPECT_INT(mkdir(place->file, 0700), 0);
    EXPECT(!audit_reopen(place->audit, NULL));
    audit_write(place->audit, &entry);
    AUTO(freep) char *old = content(place->moved);
    EXPECT_PART(old, "\"who\":\"c1\"");
    EXPECT_INT(rmdir(place->file), 0);
}

static long long lines_of(const char *text, const char *part)
{
    long long count = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static long long metric(struct audit *audit, const char *name)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1000};

    EXPECT(audit_write_metrics(audit, &text));
    const char *at = strstr(text.data, name);
    EXPECT(at != NULL);
    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

static long long failures(struct audit *audit)
{
    return metric(audit, "\npennyworth_audit_failures_total ");
}

TEST(a_line_that_is_lost_is_counted)
{
    struct audit *audit = audit_open("/dev/full", NULL);

    EXPECT(audit != NULL);
    EXPECT_INT(failures(audit), 0);
    audit_write(audit, &entry);
    audit_write(audit, &entry);
    EXPECT_INT(failures(audit), 2);
    audit_free(audit);
}

/* A disk that is nearly full takes a part of a line. */
TEST_WITH_AUDIT(after_a_line_without_an_end_the_next_one_begins_anew)
{
    struct rlimit size, small;

    audit_write(place->audit, &entry);
    AUTO(freep) char *whole = content(place->file);
    long long first = (long long)strlen(whole);
    signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT(getrlimit(RLIMIT_FSIZE, &size), 0);
    small = size;
    small.rlim_cur = (rlim_t)first + 10;
    EXPECT_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    audit_write(place->audit, &entry); /* ten bytes of it */
    audit_write(place->audit, &entry); /* nothing */
    EXPECT_INT(setrlimit(RLIMIT_FSIZE, &size), 0);
    EXPECT_INT(failures(place->audit), 2);
    audit_write(place->audit, &entry);
    audit_write(place->audit, &entry);
    AUTO(freep) char *text = content(place->file);
    EXPECT_INT((long long)strlen(text), first + 10 + 1 + 2 * first);
    EXPECT_INT(text[first + 10], '\n');
    EXPECT_STR(text + first + 11 + first, whole);
    EXPECT_INT(failures(place->audit), 2);
}

TEST_WITH_AUDIT(unknown_tokens_get_sixty_lines_a_minute_and_the_rest_is_counted)
{
    struct audit_entry stranger = entry, known = entry;

    stranger.who = NULL;
    stranger.status = 401;
    for (int i = 0; i < 100; i++) { /* one each 100 ms */
        stranger.at_ns = known.at_ns = i * 100 * NS_PER_MS;
        audit_write(place->audit, &stranger);
        if (i % 10 == 9)
            audit_write(place->audit, &known); /* of these none is left out */
    }
    {
        AUTO(freep) char *text = content(place->file);
        EXPECT_INT(lines_of(text, "\"status\":401"), 60);
        EXPECT_INT(lines_of(text, "\"status\":200"), 10);
        EXPECT_INT(lines_of(text, "\"suppressed\":10}"), 4); /* each in the next line */
        EXPECT_INT(lines_of(text, "suppressed"), 4);
    }
    EXPECT_INT(metric(place->audit, "\npennyworth_audit_suppressed_total "), 40);
    stranger.at_ns = 60 * NS_PER_SECOND - 1;
    audit_write(place->audit, &stranger);
    for (int i = 0; i < 3; i++) { /* a minute after the first two of them */
        stranger.at_ns = 60 * NS_PER_SECOND + 100 * NS_PER_MS;
        audit_write(place->audit, &stranger);
    }
    AUTO(freep) char *text = content(place->file);
    EXPECT_INT(lines_of(text, "\"status\":401"), 62);
    EXPECT_INT(lines_of(text, "\"suppressed\":1}"), 1);
    EXPECT_INT(metric(place->audit, "\npennyworth_audit_suppressed_total "), 42);
}

TEST_WITH_AUDIT(the_next_line_has_the_number_of_lines_left_out)
{
    struct audit_entry stranger = entry;

    unlink(place->file);
    EXPECT_INT(symlink("/dev/full", place->file), 0);
    EXPECT(audit_reopen(place->audit, NULL));
    stranger.status = 401;
    for (int i = 0; i < 70; i++)
        audit_write(place->audit, &stranger);
    audit_write(place->audit, &entry);
    EXPECT_INT(failures(place->audit), 61);
    EXPECT_INT(metric(place->audit, "\npennyworth_audit_suppressed_total "), 10);
    unlink(place->file);
    EXPECT(audit_reopen(place->audit, NULL));
    audit_write(place->audit, &entry);
    audit_write(place->audit, &entry);
    AUTO(freep) char *text = content(place->file);
    EXPECT_PART(text, "\"suppressed\":10}\n{\"at\":");
    EXPECT_INT(lines_of(text, "suppressed"), 1);
}

#define THREADS 4
#define LINES 200

static void *tell_many(void *user)
{
    struct audit *audit = user;

    for (int i = 0; i < LINES; i++) {
        audit_write(audit, &entry);
        if (i % 50 == 0)
            EXPECT(audit_reopen(audit, NULL));
    }
    return NULL;
}

TEST_WITH_AUDIT(lines_of_many_threads_do_not_mix)
{
    long long count = 0;

    run_threads(THREADS, tell_many, place->audit, 0);
    AUTO(freep) char *text = content(place->file);
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n"), count++)
        EXPECT(strncmp(line, "{\"at\":", 6) == 0 &&
               strcmp(strrchr(line, ','), ",\"bytes\":12}") == 0);
    EXPECT_INT(count, THREADS * LINES);
}

TEST_WITH_AUDIT(a_line_says_what_was_taken_back_and_why)
{
    struct audit_entry taken = entry;

    taken.did = "price withdrawn";
    snprintf(taken.object, sizeof taken.object, "3-1700000000000000");
    audit_write(place->audit, &taken);
    memset(taken.reason, '"', REASON_MAX); /* twice as long as text of JSON */
    audit_write(place->audit, &taken);
    AUTO(freep) char *text = content(place->file);
    EXPECT_PART(text, "\"bytes\":12,\"did\":\"price withdrawn\",\"id\":\"3-1700000000000000\","
                      "\"reason\":null}\n");
    EXPECT_PART(text, "\"reason\":\"\\\"\\\"");
    EXPECT(text[strlen(text) - 1] == '\n');
}
