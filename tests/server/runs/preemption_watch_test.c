/* The preemption watch: when it asks for a notice, and when it does not. */
#include "server/runs/preemption_watch.h"

#include "common/clock.h"
#include "tests/pricing/feeds/replies.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define PATIENCE_MS (PATIENCE_SECONDS * 1000)
#define PERIOD_NS (5 * NS_PER_MS)

/* A cloud of one thread, which may change its mind. */
struct cloud {
    atomic_int asked, notices;    /* notices: of what it was asked, how often for a notice */
    atomic_bool leaving, failing; /* failing: to tell of notices */
    atomic_bool silent, slow;     /* silent: about everything */
    atomic_int left, stayed;      /* calls of notice() and withdraw() */
    char why[200];
    char url[200]; /* of the last question for a notice */
};

static void nap(long long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * NS_PER_MS}, NULL);
}

static bool cloud_fetch(void *user, const struct fetch_request *request, fetch_take_fn *take_body,
                        void *taker, struct fetch_response *ret_response, struct error *err)
{
    struct cloud *cloud = user;
    const char *body = NULL;
    bool notice = replies_ends(request->url, "/instance/preempted");

    if (replies_ends(request->url, "/machine-type"))
        body = "projects/1/machineTypes/n1-highcpu-64";
    else if (replies_ends(request->url, "/zone"))
        body = "projects/1/zones/us-central1-a";
    else if (replies_ends(request->url, "/preemptible"))
        body = "TRUE";
    else if (notice)
        body = cloud->leaving ? "TRUE" : "FALSE";
    *ret_response = (struct fetch_response){.status = body ? 200 : 404, .flavor = "Google"};
    if (cloud->silent || (notice && cloud->failing))
        ret_response->status = 500;
    if (cloud->slow)
        nap(100);
    bool ok =
        ret_response->status != 200 || take_body(taker, body, strlen(body), err) == TAKE_MORE;
    if (notice)
        snprintf(cloud->url, sizeof cloud->url, "%.190s", request->url);
    cloud->notices += notice;
    cloud->asked++;
    return ok;
}

static void leave(void *user, const char *why)
{
    struct cloud *cloud = user;

    snprintf(cloud->why, sizeof cloud->why, "%s", why);
    cloud->left++;
}

static void stay(void *user)
{
    struct cloud *cloud = user;

    cloud->stayed++;
}

struct scene {
    struct config config;
    struct cloud cloud;
    struct this_machine *here;
    struct preemption_watch *watch;
};

static void begin_at(struct scene *scene, const char *metadata, const char *provider,
                     const char *life_cycle, long long period_ns)
{
    *scene = (struct scene){.config = {.life_cycle = life_cycle}};
    snprintf(scene->config.metadata, sizeof scene->config.metadata, "%s", metadata);
    snprintf(scene->config.provider, sizeof scene->config.provider, "%s", provider);
    scene->here = this_machine_new(&scene->config);
    EXPECT(scene->here != NULL);
    struct preemption_watch_parts parts =
        (struct preemption_watch_parts){.this_machine = scene->here,
                                        .metadata = scene->config.metadata,
                                        .fetch = cloud_fetch,
                                        .fetcher = &scene->cloud,
                                        .period_ns = period_ns,
                                        .notice = leave,
                                        .withdraw = stay,
                                        .user = &scene->cloud};
    EXPECT_OK(preemption_watch_start(&parts, &scene->watch, &err));
}

static void begin(struct scene *scene, const char *metadata, const char *provider,
                  const char *life_cycle)
{
    begin_at(scene, metadata, provider, life_cycle, PERIOD_NS);
}

static void end(struct scene *scene)
{
    preemption_watch_stop(scene->watch);
    preemption_watch_stop(scene->watch);
    preemption_watch_watch(scene->watch, true); /* in vain */
    preemption_watch_free(scene->watch);
    this_machine_free(scene->here);
}

#define TEST_ON(name, metadata, provider, life_cycle)                                            \
    static void name(struct scene *scene);                                                       \
    TEST_FOUND(name, on(name, metadata, provider, life_cycle))                                   \
    static void name(struct scene *scene)

static void on(void (*test)(struct scene *scene), const char *metadata, const char *provider,
               const char *life_cycle)
{
    struct scene scene;

    begin(&scene, metadata, provider, life_cycle);
    test(&scene);
    end(&scene);
}

/* On a spot machine of Google. */
#define TEST_ON_SPOT(name) TEST_ON(name, "auto", "gcp", "spot")

struct lingerer {
    atomic_bool may_go, over;
};

static void *linger(void *user)
{
    struct lingerer *lingerer = user;

    for (int waited = 0; !lingerer->may_go && waited < PATIENCE_MS / 10; waited++)
        nap(1);
    lingerer->over = true;
    return NULL;
}

/* A new thread may get the id of one that has ended. */
TEST_ON_SPOT(a_second_stop_joins_no_other_thread)
{
    pthread_t other;
    struct lingerer lingerer = {false, false};

    preemption_watch_stop(scene->watch);
    EXPECT_INT(pthread_create(&other, NULL, linger, &lingerer), 0);
    preemption_watch_stop(scene->watch);
    EXPECT(!lingerer.over);
    lingerer.may_go = true;
    pthread_join(other, NULL);
}

/* Until a number has grown to this. */
static void wait_until(atomic_int *number, int wanted)
{
    for (int waited = 0; *number < wanted && waited < PATIENCE_MS; waited++)
        nap(1);
    EXPECT(*number >= wanted);
}

TEST_ON_SPOT(it_asks_again_and_again_while_there_is_something_to_lose)
{
    preemption_watch_watch(scene->watch, true);
    wait_until(&scene->cloud.notices, 3);
    EXPECT_INT(scene->cloud.left, 0);
    scene->cloud.leaving = true;
    wait_until(&scene->cloud.left, 1);
    EXPECT_STR(scene->cloud.why, "Google takes this machine back (preempted)");
    preemption_watch_watch(scene->watch, false);
    wait_until(&scene->cloud.notices, scene->cloud.notices + 3); /* asked on, but said once */
    EXPECT_HAS(scene->cloud, (left, 1), (stayed, 0));
}

/* As after a hibernation. One answer may be a mistake. */
TEST_ON_SPOT(a_notice_that_stands_no_more_is_taken_back)
{
    scene->cloud.leaving = true;
    preemption_watch_watch(scene->watch, true);
    wait_until(&scene->cloud.left, 1);
    scene->cloud.failing = true; /* a failure withdraws nothing */
    wait_until(&scene->cloud.notices, scene->cloud.notices + 3);
    EXPECT_INT(scene->cloud.stayed, 0);
    int asked = scene->cloud.notices;
    scene->cloud.leaving = scene->cloud.failing = false;
    wait_until(&scene->cloud.stayed, 1);
    EXPECT(scene->cloud.notices >= asked + 2);
    wait_until(&scene->cloud.notices, scene->cloud.notices + 3);
    EXPECT_INT(scene->cloud.stayed, 1);
    scene->cloud.leaving = true;
    wait_until(&scene->cloud.left, 2);
}

TEST(settle_finds_a_notice_that_stands)
{
    struct scene scene;

    begin_at(&scene, "auto", "gcp", "spot", 3600 * NS_PER_SECOND);
    scene.cloud.leaving = scene.cloud.slow = true;
    preemption_watch_settle(scene.watch);
    EXPECT_INT(scene.cloud.left, 1);
    end(&scene);
}

TEST(a_fresh_answer_is_not_asked_for_again)
{
    struct scene scene;

    begin_at(&scene, "auto", "gcp", "spot", 3600 * NS_PER_SECOND);
    preemption_watch_settle(scene.watch);
    EXPECT_INT(scene.cloud.notices, 1);
    preemption_watch_watch(scene.watch, false);
    preemption_watch_settle(scene.watch);
    EXPECT_INT(scene.cloud.notices, 1);
    end(&scene);

    begin(&scene, "auto", "gcp", "spot");
    preemption_watch_settle(scene.watch);
    preemption_watch_watch(scene.watch, false);
    nap(50);
    int asked = scene.cloud.notices;
    preemption_watch_settle(scene.watch);
    EXPECT(scene.cloud.notices > asked);
    end(&scene);
}

TEST(settle_waits_neither_without_a_service_nor_for_one_that_fails)
{
    struct scene scene;
    long long began_ns = clock_monotonic_ns();

    begin(&scene, "off", "gcp", "spot");
    preemption_watch_settle(scene.watch);
    end(&scene);
    begin(&scene, "auto", "gcp", "on_demand");
    preemption_watch_settle(scene.watch);
    EXPECT_INT(scene.cloud.asked, 0);
    end(&scene);
    begin(&scene, "auto", "gcp", "spot");
    scene.cloud.failing = true;
    preemption_watch_settle(scene.watch);
    EXPECT(scene.cloud.notices >= 1);
    end(&scene);
    EXPECT(clock_monotonic_ns() - began_ns < 9 * NS_PER_SECOND);
}

static void *stop_soon(void *user)
{
    nap(100);
    preemption_watch_stop(user);
    return NULL;
}

TEST_ON(a_stop_ends_the_wait_of_settle, "auto", "", "auto")
{
    long long began_ns = clock_monotonic_ns();
    pthread_t stopper;

    /* The identity stays unknown. */
    EXPECT_INT(pthread_create(&stopper, NULL, stop_soon, scene->watch), 0);
    preemption_watch_settle(scene->watch);
    EXPECT(clock_monotonic_ns() - began_ns < 9 * NS_PER_SECOND);
    EXPECT(clock_monotonic_ns() - began_ns > 50 * NS_PER_MS);
    pthread_join(stopper, NULL);
}

static void *ask_soon(void *user)
{
    struct scene *scene = user;

    nap(50);
    this_machine_ask(scene->here, cloud_fetch, &scene->cloud);
    return NULL;
}

TEST_ON(settling_waits_until_it_is_known_which_machine_this_is, "gcp=http://cloud", "", "auto")
{
    pthread_t asker;

    scene->cloud.leaving = true;
    EXPECT_INT(pthread_create(&asker, NULL, ask_soon, scene), 0);
    preemption_watch_settle(scene->watch);
    EXPECT_INT(scene->cloud.left, 1);
    pthread_join(asker, NULL);
}

/* One failure at the start must not be the end of it. */
TEST_ON(a_machine_without_an_identity_is_asked_again, "gcp=http://cloud", "", "auto")
{
    struct identity identity;

    scene->cloud.silent = scene->cloud.leaving = true;
    this_machine_ask(scene->here, cloud_fetch, &scene->cloud);
    this_machine_identity(scene->here, &identity);
    EXPECT(identity.unheard);
    nap(100); /* without a run, nothing is asked */
    EXPECT_INT(scene->cloud.asked, 1);
    preemption_watch_settle(scene->watch); /* is not held up by that */
    wait_until(&scene->cloud.asked, 3);
    EXPECT_INT(scene->cloud.left, 0);
    scene->cloud.silent = false;
    wait_until(&scene->cloud.left, 1);
    this_machine_identity(scene->here, &identity);
    EXPECT(!identity.unheard);
    EXPECT_STR(identity.instance_type, "n1-highcpu-64");
}

TEST(with_nothing_to_lose_it_does_not_ask)
{
    struct scene scene;

    begin(&scene, "auto", "gcp", "spot");
    scene.cloud.leaving = true;
    nap(50);
    EXPECT_INT(scene.cloud.asked, 0);
    preemption_watch_watch(scene.watch, true);
    wait_until(&scene.cloud.left, 1);
    end(&scene);

    begin(&scene, "auto", "gcp", "spot");
    preemption_watch_watch(scene.watch, true);
    wait_until(&scene.cloud.notices, 1);
    preemption_watch_watch(scene.watch, false);
    nap(20); /* a question under way may end */
    int asked = scene.cloud.asked;
    nap(50);
    EXPECT_INT(scene.cloud.asked, asked);
    end(&scene);
}

TEST(a_machine_that_is_not_spot_or_of_no_cloud_is_asked_nothing)
{
    static const struct {
        const char *provider, *life_cycle;
    } cases[] = {{"gcp", "on_demand"}, {"gcp", "auto"}, {"hetzner", "spot"}, {"", "spot"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;

        begin(&scene, "auto", cases[i].provider, cases[i].life_cycle);
        preemption_watch_watch(scene.watch, true);
        nap(40);
        EXPECT_INT(scene.cloud.asked, 0);
        end(&scene);
    }
}

TEST_ON(with_metadata_off_there_is_no_thread, "off", "gcp", "spot")
{
    EXPECT(scene->watch == NULL);
    preemption_watch_watch(scene->watch, true);
}

TEST(a_price_that_becomes_known_later_is_used)
{
    static const struct config asks = {.metadata = "gcp=http://cloud", .life_cycle = "spot"};
    struct scene scene;

    begin(&scene, asks.metadata, "", asks.life_cycle);
    scene.cloud.leaving = true;
    preemption_watch_watch(scene.watch, true);
    nap(30);
    EXPECT_INT(scene.cloud.asked, 0);
    this_machine_ask(scene.here, cloud_fetch, &scene.cloud);
    wait_until(&scene.cloud.left, 1);
    EXPECT_STR(scene.cloud.url, "http://cloud/computeMetadata/v1/instance/preempted");
    end(&scene);
}

TEST(an_address_of_another_cloud_is_not_this_ones)
{
    struct scene scene;

    begin(&scene, "aws=http://cloud", "gcp", "spot");
    preemption_watch_watch(scene.watch, true);
    wait_until(&scene.cloud.notices, 1);
    preemption_watch_stop(scene.watch);
    EXPECT_STR(scene.cloud.url, "http://169.254.169.254/computeMetadata/v1/instance/preempted");
    preemption_watch_free(scene.watch);
    this_machine_free(scene.here);
}

TEST_ON_SPOT(a_service_that_fails_is_asked_again)
{
    scene->cloud.failing = true;
    scene->cloud.leaving = true;
    preemption_watch_watch(scene->watch, true);
    wait_until(&scene->cloud.notices, 3);
    EXPECT_INT(scene->cloud.left, 0);
    scene->cloud.failing = false;
    wait_until(&scene->cloud.left, 1);
}
