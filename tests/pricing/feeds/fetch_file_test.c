/* A file of this machine, read as if it were fetched. */
#include "pricing/feeds/fetch_file.h"

#include "tests/test.h"

#include <fcntl.h>
#include <sys/stat.h>

struct got {
    char text[100000];
    size_t used, enough_at;
    bool fails;
    const char *touch; /* a file that is written to meanwhile */
};

static struct got got;
static struct fetch_request request;
static struct fetch_response response;
static char path[100];

static enum fetch_take note(void *user, const char *data, size_t length, struct error *err)
{
    EXPECT(user == &got && length > 0);
    if (got.fails) {
        error_set(err, ERROR_UPSTREAM, NULL, "not this");
        return TAKE_FAILED;
    }
    memcpy(got.text + got.used, data, length);
    got.used += length;
    if (got.touch) {
        AUTO(fclosep) FILE *file = fopen(got.touch, "ae");

        EXPECT(file && fputs("0", file) != EOF);
        got.touch = NULL;
    }
    return got.enough_at && got.used >= got.enough_at ? TAKE_ENOUGH : TAKE_MORE;
}

static void write_file(const char *text)
{
    AUTO(fclosep) FILE *file = fopen(path, "we");

    EXPECT(file && fputs(text, file) != EOF);
}

static bool fetch(struct error *err)
{
    memset(&response, 'x', sizeof response);
    got.used = 0;
    snprintf(request.url, sizeof request.url, "%s", path);
    return fetch_file(NULL, &request, note, &got, &response, err);
}

/* A test that finds the file with "0.357" in it. */
#define TEST_WITH_FILE(name) TEST_GIVEN(name, void, with_file)

static void with_file(void (*test)(void))
{
    char name[] = "/tmp/pennyworth-fetch-XXXXXX";

    EXPECT(mkdtemp(name) != NULL);
    snprintf(path, sizeof path, "%s/prices.csv", name);
    got = (struct got){.used = 0};
    request = (struct fetch_request){.max_bytes = sizeof got.text};
    write_file("0.357");
    test();
    unlink(path);
    rmdir(name);
}

TEST_WITH_FILE(a_file_comes_whole_with_its_time)
{
    struct stat about;

    EXPECT(fetch(NULL));
    EXPECT_INT((long long)got.used, 5);
    EXPECT(memcmp(got.text, "0.357", 5) == 0);
    EXPECT_HAS(response, (status, 200), (bytes, 5), (retry_after_seconds, -1), (began, true));
    EXPECT(stat(path, &about) == 0);
    EXPECT_INT(response.last_modified_us / 1000000, about.st_mtim.tv_sec);
}

TEST_WITH_FILE(an_unchanged_page_is_not_read_again)
{
    EXPECT(fetch(NULL));
    EXPECT(response.etag[0] == '"');
    snprintf(request.etag, sizeof request.etag, "%s", response.etag);
    EXPECT(fetch(NULL));
    EXPECT_INT(response.status, 304);
    EXPECT_INT((long long)got.used, 0);
    EXPECT(!response.began);
    write_file("0.3571");
    EXPECT(fetch(NULL));
    EXPECT_INT(response.status, 200);
    EXPECT_INT((long long)got.used, 6);
    EXPECT(strcmp(request.etag, response.etag) != 0);
}

TEST_WITH_FILE(the_same_size_at_another_time_is_another_file)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000, .tv_nsec = 1}};

    EXPECT(fetch(NULL));
    snprintf(request.etag, sizeof request.etag, "%s", response.etag);
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0);
    EXPECT(fetch(NULL));
    EXPECT_INT(response.status, 200);
}

TEST_WITH_FILE(a_file_too_large_is_refused_and_not_cut)
{
    request.max_bytes = 4;
    EXPECT_ERROR_MESSAGE(fetch(&err), ERROR_UPSTREAM, "the file has more than 4 bytes");
    EXPECT(response.refused);
    EXPECT_INT((long long)got.used, 0);
    request.max_bytes = 5;
    EXPECT(fetch(NULL));
}

TEST_WITH_FILE(a_path_that_is_not_a_file_is_refused_without_waiting)
{
    EXPECT(unlink(path) == 0);
    EXPECT_MESSAGE(fetch(&err), "the file cannot be read: No such file or directory");
    EXPECT(response.refused); /* asking again would not help */
    EXPECT_INT(response.status, 0);
    EXPECT(mkfifo(path, 0600) == 0); /* no process ever writes there */
    EXPECT_MESSAGE(fetch(&err), "the file cannot be read: it is not a regular file");
    EXPECT(unlink(path) == 0 && mkdir(path, 0700) == 0);
    EXPECT_MESSAGE(fetch(&err), "the file cannot be read: it is not a regular file");
    EXPECT(rmdir(path) == 0);
}

TEST_WITH_FILE(the_receiver_may_stop_or_fail)
{
    got.enough_at = 1;
    EXPECT_OK(fetch(&err));
    EXPECT_INT(response.status, 200);
    got.fails = true;
    EXPECT_MESSAGE(fetch(&err), "not this");
    EXPECT(response.refused);
}

/* Else "0.35" of "0.357" would be a price. */
TEST_WITH_FILE(a_file_that_is_being_written_is_not_accepted)
{
    got.touch = path;
    EXPECT_ERROR_MESSAGE(fetch(&err), ERROR_UPSTREAM, "the file changed while it was read");
    EXPECT(fetch(NULL));
    EXPECT_INT((long long)got.used, 6);
}
