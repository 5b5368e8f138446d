#include "server/http/public_address.h"

#include "tests/test.h"

static const struct {
    struct request_headers headers;
    bool is_tls;
    const char *address;
} cases[] = {
    {{.host = "127.0.0.1:8080"}, false, "http://127.0.0.1:8080"},
    {{.host = "[::1]:8080"}, false, "http://[::1]:8080"},
    {{.host = "bench.example.org"}, true, "https://bench.example.org"},
    {{.host = "a.b", .forwarded_proto = "https"}, false, "https://a.b"},
    {{.host = "a.b", .forwarded_proto = "http"}, true, "http://a.b"},
    {{.host = "a.b", .forwarded_proto = "javascript"}, false, "http://a.b"},
    {{.host = "a.b", .forwarded_prefix = "/p/q/"}, false, "http://a.b/p/q"},
    {{.host = "a.b", .forwarded_prefix = "/"}, false, "http://a.b"},
    {{.host = "a.b", .forwarded_prefix = "p"}, false, "http://a.b"},
    {{.host = "a.b", .forwarded_prefix = "/p) [x](y"}, false, "http://a.b"},
    {{.host = "a.b) [x](http://c"}, false, ""},
    {{.host = ""}, false, ""},
    {{.host = NULL}, true, ""},
};

TEST(an_address_is_what_the_client_asked)
{
    char text[PUBLIC_ADDRESS_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        public_address(&cases[i].headers, cases[i].is_tls, text);
        EXPECT_STR(text, cases[i].address);
    }
}

TEST(a_name_that_is_too_long_is_none)
{
    char text[PUBLIC_ADDRESS_SIZE], name[300];

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    public_address(&(struct request_headers){.host = name}, false, text);
    EXPECT_STR(text, "");
}
