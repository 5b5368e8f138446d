/* What a person wants of each feed. */
#include "server/prices/feeds.h"

#include "tests/test.h"

static const struct feed *find_feed(const struct feeds *feeds, const char *name)
{
    for (size_t i = 0; i < feeds->count; i++)
        if (strcmp(feeds->list[i].source->name, name) == 0)
            return &feeds->list[i];
    return NULL;
}

static struct feeds feeds;

static const struct feed *feed_of(const char *text, const char *name)
{
    EXPECT_OK(feeds_read(text, &feeds, &err));
    const struct feed *feed = find_feed(&feeds, name);
    EXPECT(feed != NULL);
    return feed;
}

TEST(without_options_each_feed_has_its_defaults)
{
    size_t count = 0;

    EXPECT(feeds_read("", &feeds, NULL));
    for (const struct source *const *source = sources; *source; source++, count++) {
        const struct feed *feed = find_feed(&feeds, (*source)->name);

        EXPECT(feed == &feeds.list[count]); /* in the order of the list */
        EXPECT(feed->source == *source);
        EXPECT_HAS(*feed, (on, (*source)->on), (url, (*source)->url), (regions, ""), (types, ""),
                   (every_seconds, (*source)->period_seconds), (patience_seconds, 0));
    }
    EXPECT_INT((long long)feeds.count, (long long)count);
    EXPECT(count <= FEEDS_MAX);
}

TEST(words_say_what_is_wanted)
{
    const struct feed *feed =
        feed_of("aws-spot-history=off  url=http://127.0.0.1:8080/mirror// "
                "regions=us-east-1,eu-west-1 types=m5.large every=3600 patience=5;aws-offer=on",
                "aws-spot-history");

    EXPECT(!feed->on);
    EXPECT_HAS(*feed, (url, "http://127.0.0.1:8080/mirror"), (regions, "us-east-1,eu-west-1"),
               (types, "m5.large"), (every_seconds, 3600), (patience_seconds, 5));
    EXPECT(find_feed(&feeds, "aws-offer")->on);
    EXPECT_STR(find_feed(&feeds, "aws-offer")->url, source_find("aws-offer")->url);
    EXPECT_STR(find_feed(&feeds, "aws-offer")->regions, "");
}

TEST(the_last_word_counts_and_all_is_all)
{
    EXPECT(feed_of("all=off;azure-retail=on", "azure-retail")->on);
    for (size_t i = 0; i < feeds.count; i++)
        EXPECT_INT(feeds.list[i].on, strcmp(feeds.list[i].source->name, "azure-retail") == 0);
    EXPECT(!feed_of("azure-retail=on;all=off", "azure-retail")->on);
    EXPECT(feed_of("azure-retail=off on", "azure-retail")->on);
    EXPECT_INT(feed_of("all=every=60", "gcp-billing-catalog")->every_seconds, 60);
    EXPECT_STR(feed_of(";;azure-retail=;", "azure-retail")->regions, "");
    EXPECT_STR(feed_of("all=regions=eastus;aws-spot-page=on", "azure-retail")->regions, "eastus");
    EXPECT_STR(feed_of("all=regions=eastus;aws-spot-page=on", "aws-spot-page")->regions, "");
}

TEST(a_file_has_a_path)
{
    EXPECT_STR(feed_of("price-file=url=/etc/prices.csv", "price-file")->url, "/etc/prices.csv");
    EXPECT_STR(feed_of("price-file=url=prices=old.csv", "price-file")->url, "prices=old.csv");
}

TEST(what_is_wrong_is_said)
{
    static const struct {
        const char *text, *message; /* or how it begins */
    } rows[] = {
        {"azure", "must be NAME=WORDS, got 'azure'"},
        {"azure=on", "there is no feed 'azure'; the nearest of 12 are azure-retail, "},
        {"=on", "there is no feed ''; the nearest of "},
        {"azure-retail=on; gcp-catalog=on", "there is no feed ' gcp-catalog'; the nearest of "},
        {"ALL=on", "there is no feed 'ALL'; the nearest of "},
        {"azure-retail=On", "azure-retail: 'On' is not known; on, off, url=, regions=, types=, "
                            "committed=, every= and patience= are"},
        {"aws-offer=committed=yes", "aws-offer: committed must be on or off"},
        {"azure-retail=committed=on", "azure-retail: committed= has no use, all of it is read"},
        {"azure-retail=colour=red", "azure-retail: 'colour=' is not known"},
        {"azure-retail==", "azure-retail: '=' is not known"},
        {"azure-retail=u=http://a", "azure-retail: 'u=' is not known"},
        {"azure-retail=url=", "azure-retail: '' is empty or too long"},
        {"azure-retail=url=ftp://a", "azure-retail: the url must be http or https"},
        {"azure-retail=url=file:///etc/passwd", "azure-retail: the url must be http or https"},
        {"azure-retail=url=https://", "azure-retail: the url must be http or https"},
        {"azure-retail=url=http:///", "azure-retail: the url must be http or https"},
        {"azure-retail=regions=", "azure-retail: '' is empty or too long"},
        {"aws-spot-page=regions=us-east-1",
         "aws-spot-page: regions= has no use, all of it is read"},
        {"gcp-billing-catalog=on regions=us-centrall",
         "gcp-billing-catalog: regions= has no use, all of it is read"},
        {"aws-on-demand-page=types=c7i.large",
         "aws-on-demand-page: types= has no use, all of it is read"},
        {"azure-retail=every=59", "azure-retail: every must be between 60 and 2592000, got 59"},
        {"azure-retail=every=2592001",
         "azure-retail: every must be between 60 and 2592000, got 2592001"},
        {"azure-retail=every=1h",
         "azure-retail: every must be an integer between 60 and 2592000, got '1h'"},
        {"azure-retail=patience=0", "azure-retail: patience must be between 1 and 3600, got 0"},
        {"azure-retail=regions=eastus,a-region-with-a-name-of-more-than-40-bytes,westus",
         "azure-retail: 'a-region-with-a-name-of-more-than-40-byt' is too long"},
        {"all=off;azure-retail=on;unknown=on",
         "there is no feed 'unknown'; the nearest of 12 are "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {0};

        EXPECT(!feeds_read(rows[i].text, &feeds, &err));
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "--feed"));
        if (strncmp(err.message, rows[i].message, strlen(rows[i].message)) != 0)
            EXPECT_STR(err.message, rows[i].message);
    }
}

TEST(a_text_that_does_not_fit_is_not_cut)
{
    static char text[3000];

    memset(text, 'x', sizeof text - 1);
    memcpy(text, "azure-retail=url=https://", 25);
    text[13 + 4 + 512] = '\0';
    EXPECT_SAYS(feeds_read(text, &feeds, &err), "is empty or too long");
    text[13 + 4 + 511] = '\0';
    EXPECT_INT((long long)strlen(feed_of(text, "azure-retail")->url), 511);
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "azure-retail=", 13);
    EXPECT_MESSAGE(feeds_read(text, &feeds, &err), "azure-retail: a word is too long");
    memcpy(text, "aws-spot-history=types=", 23);
    text[23 + 64] = '\0';
    EXPECT_SAYS(feeds_read(text, &feeds, &err), "is too long");
    text[23 + 63] = '\0';
    EXPECT(feeds_read(text, &feeds, NULL));
}

TEST(a_list_is_walked_word_by_word)
{
    const char *list = ",a,,bc,d,";
    char word[4];

    EXPECT(feeds_next_word(&list, word, sizeof word));
    EXPECT_STR(word, "a");
    EXPECT(feeds_next_word(&list, word, sizeof word));
    EXPECT_STR(word, "bc");
    EXPECT(feeds_next_word(&list, word, sizeof word));
    EXPECT_STR(word, "d");
    EXPECT(!feeds_next_word(&list, word, sizeof word));
    EXPECT(!feeds_next_word(&list, word, sizeof word));
    EXPECT_STR(list, "");
}
