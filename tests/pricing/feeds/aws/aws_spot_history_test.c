#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define ANSWER "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet>"
#define END "</spotPriceHistorySet></DescribeSpotPriceHistoryResponse>"
#define LINUX "Linux/UNIX"
#define ITEM(zone, product, price, time)                                                         \
    "<item><instanceType>m5.large</instanceType><productDescription>" product                    \
    "</productDescription><spotPrice>" price "</spotPrice><timestamp>" time                      \
    "</timestamp><availabilityZone>" zone "</availabilityZone></item>"
#define WITH_TOKEN(token)                                                                        \
    ANSWER "</spotPriceHistorySet><nextToken>" token                                             \
           "</nextToken></DescribeSpotPriceHistoryResponse>"

static void of_m5_large(void (*test)(struct walk *walk))
{
    AUTO(walk_end) struct walk walk;

    walk_start(&walk, &aws_spot_history, "us-east-1");
    walk.reading.types = "m5.large";
    test(&walk);
}

#define TEST_OF_M5_LARGE(name) TEST_GIVEN(name, struct walk *walk, of_m5_large)

/* What the zone costs after these pages, in nanos; 0 for no price. */
static long long nanos_of(const struct walk *walk, const char *type, const char *zone)
{
    return walk_nanos(walk, type, zone, PRICE_SPOT);
}

TEST_OF_M5_LARGE(each_zone_has_the_newest_price_of_all_pages)
{
    static const size_t chunks[] = {0, 1, 17, 500};

    for (size_t i = 0; i < COUNT(chunks) && walk_has_samples("aws-spot-history-page1.xml"); i++) {
        walk->chunk = chunks[i];
        EXPECT_READ(walk_samples(walk, TEXTS("aws-spot-history-page1.xml",
                                             "aws-spot-history-page2-empty.xml",
                                             "aws-spot-history-page3-last.xml")));
        EXPECT_INT(walk->asked, 3);
        EXPECT_INT(nanos_of(walk, "m5.large", "us-east-1a"), 42300000);
        EXPECT_INT(nanos_of(walk, "m5.large", "us-east-1b"), 38900000);
        EXPECT_INT(nanos_of(walk, "m5.large", "us-east-1c"), 38100000);
        EXPECT_INT(nanos_of(walk, "m5.large", "us-east-1d"), 43100000);
        EXPECT_INT(nanos_of(walk, "m5.large", "us-east-1f"), 43700000);
        EXPECT_INT(walk_count(walk), 5);
        EXPECT_PART(walk->bodies[1],
                    "&NextToken=NEXT1EXAMPLE%2Ftoken%2Bwith%3Dbase64%26chars%3D%3D");
        EXPECT_PART(walk->bodies[2], "&NextToken=NEXT2EXAMPLE");
        EXPECT_HAS(*walk_found(walk, "m5.large", "us-east-1f", PRICE_SPOT),
                   (source_us, 1612834810000000LL), (text, "0.043700"), (region, "us-east-1"));
    }
}

TEST_OF_M5_LARGE(a_test_double_of_aws_is_read_too)
{
    if (!walk_has_samples("aws-spot-history-moto.xml"))
        return;
    EXPECT_PRICES(walk_samples(walk, TEXTS("aws-spot-history-moto.xml")), 10);
    EXPECT_INT(nanos_of(walk, "g4dn.xlarge", "us-east-1f"), 10000);
}

TEST_WALK(it_asks_for_the_price_of_now_signed_for_the_region, aws_spot_history, "eu-north-1")
{
    walk->reading.types = " m5.large,,c7i.2xlarge ,";
    EXPECT_READ(walk_texts(walk, TEXTS(ANSWER END)));
    EXPECT_HAS(walk->requests[0], (url, "https://ec2.eu-north-1.amazonaws.com/"),
               (headers[0], "Content-Type: application/x-www-form-urlencoded"), (service, "ec2"),
               (region, "eu-north-1"));
    EXPECT(walk->requests[0].credentials == &walk->credentials);
    EXPECT_STR(walk->bodies[0],
               "Action=DescribeSpotPriceHistory&Version=2016-11-15"
               "&StartTime=2026-09-21T14%3A13%3A20.000Z&ProductDescription.1=Linux%2FUNIX"
               "&ProductDescription.2=Linux%2FUNIX%20%28Amazon%20VPC%29&MaxResults=1000"
               "&InstanceType.1=m5.large&InstanceType.2=c7i.2xlarge");
}

TEST_OF_M5_LARGE(china_has_its_own_domain_and_any_address_may_be_set)
{
    static const char *const cases[][3] = {
        {"https://ec2.{region}.amazonaws.com", "cn-north-1",
         "https://ec2.cn-north-1.amazonaws.com.cn/"},
        {"https://ec2.{region}.amazonaws.com", "us-gov-west-1",
         "https://ec2.us-gov-west-1.amazonaws.com/"},
        {"https://vpce-1.ec2.{region}.vpce.amazonaws.com", "cn-north-1",
         "https://vpce-1.ec2.cn-north-1.vpce.amazonaws.com/"},
        {"http://127.0.0.1:9999", "cn-north-1", "http://127.0.0.1:9999/"},
        {"http://127.0.0.1:9999/{region}", "us-east-1", "http://127.0.0.1:9999/us-east-1/"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        walk->reading.url = cases[i][0];
        snprintf(walk->reading.scope.name, sizeof walk->reading.scope.name, "%s", cases[i][1]);
        EXPECT_READ(walk_texts(walk, TEXTS(ANSWER END)));
        EXPECT_STR(walk->requests[0].url, cases[i][2]);
    }
}

TEST_OF_M5_LARGE(what_must_be_known_before_is_asked_for)
{
    static const char *const types[] = {
        "", " , ,", "a-name-longer-than-the-name-of-any-type-of-instance-there-is.metal"};

    for (size_t i = 0; i < COUNT(types); i++) {
        walk->reading.types = types[i];
        EXPECT_FAILED_AS(walk_texts(walk, TEXTS(ANSWER END)), ERROR_INVALID);
    }
    walk->reading.types = "m5.large";
    walk->reading.credentials = NULL;
    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(ANSWER END)), ERROR_UNABLE);
    snprintf(walk->reading.scope.name, sizeof walk->reading.scope.name, "x.example.org/");
    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(ANSWER END)), ERROR_INVALID);
    EXPECT_INT(walk->asked, 0);
}

TEST_OF_M5_LARGE(no_rows_at_all_mean_not_offered_and_are_no_error)
{
    EXPECT_PRICES(
        walk_texts(walk, TEXTS("<DescribeSpotPriceHistoryResponse><spotPriceHistorySet/>"
                               "</DescribeSpotPriceHistoryResponse>")),
        0);
}

#define T1 "2026-09-01T00:00:00.000Z"
#define T2 "2026-09-02T00:00:00.000Z"

/* The price of us-east-1a after this answer, in nanos; 0 for none. */
static long long nanos_after(const char *answer)
{
    AUTO(walk_end) struct walk walk;

    walk_start(&walk, &aws_spot_history, "us-east-1");
    walk.reading.types = "m5.large";
    EXPECT_INT(walk_texts(&walk, TEXTS(answer)), READING_DONE);
    long long nanos = nanos_of(&walk, "m5.large", "us-east-1a");
    EXPECT_INT(walk_count(&walk), nanos > 0);
    return nanos;
}

#define ONE(...) nanos_after(ANSWER __VA_ARGS__ END)

TEST(of_several_rows_of_a_zone_the_newest_counts_in_any_order)
{
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1", T1) ITEM("us-east-1a", LINUX, "0.2", T2)),
               200000000);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.2", T2) ITEM("us-east-1a", LINUX, "0.1", T1)),
               200000000);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX " (Amazon VPC)", "0.2", T2)
                       ITEM("us-east-1a", LINUX, "0.1", T1)),
               200000000);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX " (Amazon VPC)", "0.2", T2)
                       ITEM("us-east-1a", LINUX, "0.20", T2)),
               200000000);
}

TEST(two_prices_of_one_moment_are_none_until_a_newer_one)
{
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1", T1)
                       ITEM("us-east-1a", LINUX " (Amazon VPC)", "0.2", T1)),
               0);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1", T1)
                       ITEM("us-east-1a", LINUX " (Amazon VPC)", "0.2", T1)
                           ITEM("us-east-1a", LINUX, "0.3", T2)),
               300000000);
}

TEST(a_row_that_cannot_be_read_is_no_price_and_ends_the_one_before)
{
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1", T1) ITEM("us-east-1a", LINUX, "N/A", T2)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.0", T1)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "", T1)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1", "yesterday")), 0);
    EXPECT_INT(ONE(ITEM("us-west-2a", LINUX, "0.1", T1)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", "Windows", "0.1", T1)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", "Red Hat Enterprise Linux", "0.1", T1)), 0);
    EXPECT_INT(ONE(ITEM("us-east-1a", LINUX, "0.1</spotPrice><spotPrice>0.2", T1)), 0);
}

TEST(white_space_and_comments_and_names_of_namespaces_change_nothing)
{
    EXPECT_INT(nanos_after("<?xml version='1.0'?><!-- hello -->\n"
                           "<e:DescribeSpotPriceHistoryResponse xmlns:e='urn:x'>"
                           "<e:spotPriceHistorySet><e:item><e:spotPrice> 0.<!-- -->1\n"
                           "</e:spotPrice><e:instanceType>m5.large</e:instanceType>"
                           "<e:productDescription>Linux&#x2f;UNIX</e:productDescription>"
                           "<e:timestamp>" T1 "</e:timestamp><e:new><e:item/></e:new>"
                           "<e:availabilityZone>us-east-1a</e:availabilityZone></e:item>"
                           "</e:spotPriceHistorySet><e:nextToken> </e:nextToken>"
                           "</e:DescribeSpotPriceHistoryResponse>"),
               100000000);
}

TEST_OF_M5_LARGE(a_zone_is_known_by_its_id_where_it_has_one)
{
    EXPECT_READ(walk_texts(walk, TEXTS(ANSWER ITEM("us-east-1a</availabilityZone>"
                                                   "<availabilityZoneId>use1-az4"
                                                   "</availabilityZoneId><availabilityZone>",
                                                   LINUX, "0.1", T1) END)));
    EXPECT_INT(walk_count(walk), 0); /* a zone that is named twice */
    EXPECT_INT(walk_texts(walk, TEXTS(ANSWER "<item><availabilityZoneId>use1-az4"
                                             "</availabilityZoneId>" ITEM("us-east-1a", LINUX,
                                                                          "0.1", T1) END)),
               READING_FAILED); /* an item that does not end */
    EXPECT_READ(walk_texts(
        walk, TEXTS(ANSWER "<item><availabilityZone>us-east-1a</availabilityZone>"
                           "<availabilityZoneId>use1-az4</availabilityZoneId>"
                           "<instanceType>m5.large</instanceType><spotPrice>0.1</spotPrice>"
                           "<productDescription>Linux/UNIX</productDescription>"
                           "<timestamp>" T1 "</timestamp></item>" END)));
    EXPECT_INT(nanos_of(walk, "m5.large", "use1-az4"), 100000000);
}

/* How many pages there may be is in pages_test.c. */
TEST_OF_M5_LARGE(a_token_that_comes_again_is_a_failure)
{
    EXPECT_INT(walk_texts(walk, TEXTS(WITH_TOKEN("a"), WITH_TOKEN("b"), WITH_TOKEN("a"))),
               READING_FAILED);
    EXPECT_HAS(*walk, (asked, 3), (err.kind, ERROR_UPSTREAM));
}

TEST_OF_M5_LARGE(a_doctype_ends_it_at_once)
{
    static const char bomb[] = "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\">"
                               "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
                               "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>" ANSWER
                               "<item><spotPrice>&c;</spotPrice></item>" END;
    static const char outside[] = "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">" ANSWER END;

    EXPECT_FAILED(walk_texts(walk, TEXTS(bomb)), "it has a DOCTYPE, which no answer of AWS has");
    EXPECT_FAILED(walk_texts(walk, TEXTS(outside)),
                  "it has a DOCTYPE, which no answer of AWS has");
    EXPECT_INT(walk_count(walk), 0);
}

TEST_OF_M5_LARGE(what_is_no_such_answer_is_a_failure)
{
    walk_failures(
        walk,
        TEXTS("", "no xml", ANSWER, ANSWER END "<x/>", "<DescribeSpotPriceHistoryResponse/>",
              "<DescribeSpotPriceHistoryResponse><x><spotPriceHistorySet/></x>"
              "</DescribeSpotPriceHistoryResponse>",
              "<DescribeInstancesResponse><spotPriceHistorySet/></DescribeInstancesResponse>",
              "<Response><Errors><Error><Code>AuthFailure</Code></Error></Errors></Response>",
              ANSWER "<item><spotPrice>0<b/>1</spotPrice></item>" END,
              ANSWER "<item><spotPrice>&nope;</spotPrice></item>" END,
              ANSWER "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>",
              WITH_TOKEN("a</nextToken><nextToken>b")));
}

TEST_OF_M5_LARGE(texts_beyond_any_reason_are_failures)
{
    char long_field[6000];

    for (size_t length = 100; length < 5000; length += 4300) {
        char filler[5000];

        memset(filler, 'x', length);
        filler[length] = '\0';
        snprintf(long_field, sizeof long_field, WITH_TOKEN("%s"), filler);
        EXPECT_INT(walk_texts(walk, TEXTS(long_field, ANSWER END)),
                   length < 4096 ? READING_DONE : READING_FAILED);
        snprintf(long_field, sizeof long_field,
                 ANSWER "<item><timestamp>%s</timestamp></item>" END, filler);
        EXPECT_INT(walk_texts(walk, TEXTS(long_field)),
                   length < 128 ? READING_DONE : READING_FAILED);
    }
}
