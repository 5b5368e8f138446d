/* Tested by tests/api/test_refresh.py and tests/pricing/feeds/fetch_file_test.c. */
#include "pricing/feeds/fetch.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/unpack.h"
#include "pricing/parse_time.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <strings.h>

#define USER_AGENT "pennyworth/" PENNYWORTH_VERSION " (price refresh; one client, conditional)"
#define CONNECT_MS 10000
#define PATIENCE_SECONDS 20
#define SLOWEST 1000 /* bytes a second */
#define REDIRECTS_MAX 3

struct fetcher {
    CURL *curl;
    atomic_bool stopped;
};

/* One attempt, for the callbacks of libcurl. */
struct attempt {
    struct fetcher *fetcher;
    const struct fetch_request *request;
    struct fetch_response *response;
    struct unpack *unpack;
    fetch_take_fn *take;
    void *taker;
    size_t excerpt_used;
    bool enough; /* take() has enough: not an error */
    struct error error;
    char why[CURL_ERROR_SIZE];
};

static pthread_once_t library = PTHREAD_ONCE_INIT;

static void start_library(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct fetcher *fetcher_new(struct error *err)
{
    struct fetcher *fetcher = xcalloc(1, sizeof *fetcher);

    pthread_once(&library, start_library);
    fetcher->curl = curl_easy_init();
    if (fetcher->curl)
        return fetcher;
    free(fetcher);
    error_set(err, ERROR_INTERNAL, NULL, "libcurl does not start");
    return NULL;
}

void fetcher_free(struct fetcher *fetcher)
{
    if (!fetcher)
        return;
    curl_easy_cleanup(fetcher->curl);
    free(fetcher);
}

void fetcher_stop(struct fetcher *fetcher)
{
    atomic_store(&fetcher->stopped, true);
}

bool fetch_header(struct fetch_request *request, const char *format, ...)
{
    size_t row = 0;
    va_list arguments;
    int length;

    while (row < FETCH_HEADERS_MAX && request->headers[row][0])
        row++;
    if (row == FETCH_HEADERS_MAX)
        return false;
    va_start(arguments, format);
    length = vsnprintf(request->headers[row], sizeof request->headers[0], format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof request->headers[0])
        return true;
    request->headers[row][0] = '\0';
    return false;
}

bool fetch_url_add(struct fetch_request *request, const char *text)
{
    size_t used = strlen(request->url), length = strlen(text);

    if (used + length >= sizeof request->url)
        return false;
    memcpy(request->url + used, text, length + 1);
    return true;
}

bool fetch_url_value(struct fetch_request *request, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~";
    size_t used = strlen(request->url), before = used;

    for (; *text; text++) {
        bool is_plain = strchr(plain, *text) != NULL;

        if (used + 4 > sizeof request->url) {
            request->url[before] = '\0';
            return false;
        }
        used += (size_t)snprintf(request->url + used, 4, is_plain ? "%c" : "%%%02X",
                                 (unsigned char)*text);
    }
    return true;
}

static void note_excerpt(struct attempt *attempt, const char *data, size_t length)
{
    char *excerpt = attempt->response->excerpt;

    for (size_t i = 0; i < length && attempt->excerpt_used < FETCH_EXCERPT_MAX - 1; i++) {
        char byte = data[i];

        excerpt[attempt->excerpt_used++] = byte >= 0x20 && byte < 0x7f ? byte : ' ';
    }
    excerpt[attempt->excerpt_used] = '\0';
}

static bool is_wanted(const struct attempt *attempt)
{
    int status = attempt->response->status;

    return status == 200 || (status == 201 && attempt->request->body);
}

/* The body, unpacked. */
static bool take_body(void *user, const char *data, size_t length, struct error *err)
{
    struct attempt *attempt = user;
    enum fetch_take taken;

    attempt->response->bytes += (long long)length;
    if ((size_t)attempt->response->bytes > attempt->request->max_bytes)
        return error_set(err, ERROR_UPSTREAM, NULL, "the answer has more than %zu bytes",
                         attempt->request->max_bytes);
    if (!is_wanted(attempt)) {
        note_excerpt(attempt, data, length);
        return true;
    }
    attempt->response->began = true;
    taken = attempt->take(attempt->taker, data, length, err);
    attempt->enough = taken == TAKE_ENOUGH;
    return taken == TAKE_MORE;
}

static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    struct attempt *attempt = user;
    long status = 0;

    curl_easy_getinfo(attempt->fetcher->curl, CURLINFO_RESPONSE_CODE, &status);
    attempt->response->status = (int)status;
    if (unpack_feed(attempt->unpack, data, size * count, &attempt->error))
        return size * count;
    return size * count + 1; /* anything but what it was: the transfer ends */
}

/* The value of a header line with that name, or NULL. */
static bool header_value(const char *line, size_t length, const char *name, char *ret_value,
                         size_t size)
{
    size_t skip = strlen(name);

    if (length <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':')
        return false;
    for (skip++; skip < length && line[skip] == ' ';)
        skip++;
    while (length > skip && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    ret_value[0] = '\0';
    if (length - skip < size) /* a cut value would be useless */
        snprintf(ret_value, size, "%.*s", (int)(length - skip), line + skip);
    return true;
}

static long long read_retry_after(const char *value)
{
    char *end;
    long long seconds = strtoll(value, &end, 10);

    return end != value && !*end && seconds >= 0 ? seconds : -1;
}

static size_t on_header(char *line, size_t size, size_t count, void *user)
{
    struct fetch_response *response = ((struct attempt *)user)->response;
    size_t length = size * count;
    char value[64];

    if (length > 5 && strncmp(line, "HTTP/", 5) == 0) {
        response->etag[0] = response->last_modified[0] = response->flavor[0] = '\0';
        response->content_type[0] = '\0';
        response->last_modified_us = 0;
        response->retry_after_seconds = -1;
    }
    header_value(line, length, "ETag", response->etag, sizeof response->etag);
    header_value(line, length, "Metadata-Flavor", response->flavor, sizeof response->flavor);
    header_value(line, length, "Content-Type", response->content_type,
                 sizeof response->content_type);
    if (header_value(line, length, "Last-Modified", response->last_modified,
                     sizeof response->last_modified) &&
        !parse_time_http(response->last_modified, &response->last_modified_us))
        response->last_modified_us = 0;
    if (header_value(line, length, "Retry-After", value, sizeof value))
        response->retry_after_seconds = read_retry_after(value);
    return length;
}

static int on_progress(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    struct fetcher *fetcher = user;

    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(&fetcher->stopped);
}

static void fetch_append(struct curl_slist **list, const char *line)
{
    *list = curl_slist_append(*list, line);
    if (!*list)
        memory_is_out(strlen(line));
}

static void free_list(struct curl_slist **list)
{
    curl_slist_free_all(*list);
}

static void make_headers(const struct fetch_request *request, struct curl_slist **list)
{
    char line[sizeof request->credentials->token + 40];

    for (size_t i = 0; i < FETCH_HEADERS_MAX && request->headers[i][0]; i++)
        fetch_append(list, request->headers[i]);
    if (request->etag[0]) {
        snprintf(line, sizeof line, "If-None-Match: %s", request->etag);
        fetch_append(list, line);
    }
    if (request->last_modified[0]) {
        snprintf(line, sizeof line, "If-Modified-Since: %s", request->last_modified);
        fetch_append(list, line);
    }
    if (request->credentials && request->credentials->token[0]) {
        snprintf(line, sizeof line, "X-Amz-Security-Token: %s", request->credentials->token);
        fetch_append(list, line);
        explicit_bzero(line, sizeof line);
    }
    if (request->credentials) /* libcurl would sign an "Expect:" that it then does not send */
        return;
    fetch_append(list, "Accept-Encoding: gzip"); /* we unpack: libcurl is left out of it */
    fetch_append(list, "Expect:");
}

static void set_limits(CURL *curl, const struct fetch_request *request)
{
    long connect_ms = (long)(request->connect_ms ? request->connect_ms : CONNECT_MS);
    long patience =
        (long)(request->patience_seconds ? request->patience_seconds : PATIENCE_SECONDS);

    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)request->total_ms);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)SLOWEST);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, patience);
    curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)request->max_bytes);
    if (request->direct)
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
}

static void set_signature(CURL *curl, const struct fetch_request *request)
{
    char scheme[96];

    if (!request->credentials)
        return;
    snprintf(scheme, sizeof scheme, "aws:amz:%s:%s", request->region, request->service);
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, scheme);
    curl_easy_setopt(curl, CURLOPT_USERNAME, request->credentials->id);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, request->credentials->secret);
}

static void set_body(CURL *curl, const struct fetch_request *request)
{
    if (!request->body)
        return;
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt(
        curl, CURLOPT_POSTFIELDSIZE_LARGE,
        (curl_off_t)(request->body_length ? request->body_length : strlen(request->body)));
}

static void set_trust(CURL *curl, const struct fetch_request *request)
{
    if (request->ca_file && request->ca_file[0]) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, request->ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    if (request->any_name)
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
}

static void set_up(struct attempt *attempt, const char *url, struct curl_slist *headers)
{
    CURL *curl = attempt->fetcher->curl;
    const struct fetch_request *request = attempt->request;

    curl_easy_reset(curl); /* keeps connections */
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* a name server may be slow */
    curl_easy_setopt(curl, CURLOPT_USERAGENT, USER_AGENT);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, attempt->why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, attempt);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, attempt);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, attempt->fetcher);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 65536L);
    set_body(curl, request);
    if (request->method) /* no body: CURLOPT_UPLOAD would send what metadata services refuse */
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    set_limits(curl, request);
    set_trust(curl, request);
    set_signature(curl, request);
}

/* Why a transfer failed, in one sentence. URLs have no secrets, so neither has it. */
static bool fetch_explain(struct attempt *attempt, CURLcode code, struct error *err)
{
    const char *why = attempt->why[0] ? attempt->why : curl_easy_strerror(code);

    attempt->response->refused =
        attempt->error.kind != ERROR_NONE || code == CURLE_FILESIZE_EXCEEDED;
    if (attempt->error.kind != ERROR_NONE)
        return error_set(err, attempt->error.kind, NULL, "%s", attempt->error.message);
    if (atomic_load(&attempt->fetcher->stopped))
        return error_set(err, ERROR_UPSTREAM, NULL, "the transfer was stopped");
    if (code == CURLE_FILESIZE_EXCEEDED)
        return error_set(err, ERROR_UPSTREAM, NULL, "the answer has more than %zu bytes",
                         attempt->request->max_bytes);
    return error_set(err, ERROR_UPSTREAM, NULL, "%s", why);
}

static bool fetch_perform(struct attempt *attempt, const char *url, struct error *err)
{
    AUTO(free_list) struct curl_slist *headers = NULL;
    long status = 0;
    CURLcode code;

    *attempt->response = (struct fetch_response){.retry_after_seconds = -1};
    attempt->excerpt_used = 0;
    unpack_freep(&attempt->unpack);
    attempt->unpack = unpack_new(take_body, attempt);
    make_headers(attempt->request, &headers);
    set_up(attempt, url, headers);
    code = curl_easy_perform(attempt->fetcher->curl);
    curl_easy_getinfo(attempt->fetcher->curl, CURLINFO_RESPONSE_CODE, &status);
    attempt->response->status = (int)status;
    if (attempt->enough)
        return true;
    if (code != CURLE_OK)
        return fetch_explain(attempt, code, err);
    return unpack_end(attempt->unpack, err);
}

struct way {
    CURLU *from, *to;
};

static void way_free(struct way *way)
{
    curl_url_cleanup(way->from);
    curl_url_cleanup(way->to);
}

static bool same_part(const struct way *way, CURLUPart part)
{
    char *from = NULL, *to = NULL;
    bool same = curl_url_get(way->from, part, &from, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                curl_url_get(way->to, part, &to, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                strcasecmp(from, to) == 0;

    curl_free(from);
    curl_free(to);
    return same;
}

/* Only within the host of the request, and never from https to http. */
static bool may_follow(const char *from, const char *to, struct error *err)
{
    AUTO(way_free) struct way way = {curl_url(), curl_url()};

    if (curl_url_set(way.from, CURLUPART_URL, from, 0) != CURLUE_OK ||
        curl_url_set(way.to, CURLUPART_URL, to, 0) != CURLUE_OK)
        return error_set(err, ERROR_UPSTREAM, NULL, "it redirects to what is not a URL");
    if (!same_part(&way, CURLUPART_HOST))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "it redirects to another host, %.100s, which is not followed", to);
    if (same_part(&way, CURLUPART_SCHEME) && same_part(&way, CURLUPART_PORT))
        return true;
    return strncasecmp(to, "https:", 6) == 0 ||
           error_set(err, ERROR_UPSTREAM, NULL, "it redirects to %.100s, which is not followed",
                     to);
}

bool fetch_with_curl(void *user, const struct fetch_request *request, fetch_take_fn *take_body_fn,
                     void *taker, struct fetch_response *ret_response, struct error *err)
{
    struct attempt attempt = {.fetcher = user,
                              .request = request,
                              .response = ret_response,
                              .take = take_body_fn,
                              .taker = taker};
    char url[FETCH_URL_MAX];
    bool ok = false;

    snprintf(url, sizeof url, "%s", request->url);
    for (int hop = 0; hop <= REDIRECTS_MAX; hop++) {
        char *to = NULL;

        ok = fetch_perform(&attempt, url, err);
        if (!ok || ret_response->status < 300 || ret_response->status == 304 ||
            ret_response->status >= 400 || request->direct || request->body)
            break;
        if (hop == REDIRECTS_MAX)
            ok = error_set(err, ERROR_UPSTREAM, NULL, "it redirects more than %d times",
                           REDIRECTS_MAX);
        curl_easy_getinfo(attempt.fetcher->curl, CURLINFO_REDIRECT_URL, &to);
        ok = ok && to && strlen(to) < sizeof url && may_follow(url, to, err);
        if (!ok)
            break;
        memcpy(url, to, strlen(to) + 1);
    }
    unpack_freep(&attempt.unpack);
    return ok || error_set(err, ERROR_UPSTREAM, NULL, "it redirects to nowhere");
}
