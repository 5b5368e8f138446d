#include "pricing/interruption.h"

#include "tests/test.h"

#include <math.h>

TEST(a_band_stands_for_its_upper_end)
{
    static const struct {
        const char *band;
        double share;
    } rows[] = {{"<5%", 0.05}, {"5-10%", 0.1}, {"10-15%", 0.15}, {"15-20%", 0.2}, {">20%", 0.3}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        double share = -7;

        EXPECT(interruption_share(rows[i].band, &share));
        EXPECT_NEAR(share, rows[i].share, 0);
    }
}

TEST(another_text_is_no_band)
{
    double share = -7;

    EACH_TEXT(text, "", "5%", "<5", "<5% ", " <5%", "5-10", "10-5%", "20%", "0", ">5%", "<10%")
        EXPECT(!interruption_share(text, &share));
    EXPECT(!interruption_share(NULL, &share));
    EXPECT_NEAR(share, -7, 0); /* left alone */
}

/* Who is interrupted at a rate is interrupted within a month with the share it was made of. */
TEST(a_rate_gives_back_its_share)
{
    EACH(double, share, 1e-12, 0.05, 0.2, 0.3, 0.99)
        EXPECT_NEAR(-expm1(-interruption_rate(share) * 730) / share, 1, 1e-12);
    EXPECT_NEAR(interruption_rate(0.05), 7.0265e-5, 1e-9);
    EXPECT_NEAR(interruption_rate(0), 0, 0);
}

TEST(a_value_that_is_not_a_share_has_no_rate)
{
    EXPECT(isnan(interruption_rate(-0.1)));
    EXPECT(isnan(interruption_rate(1.1)));
    EXPECT(isnan(interruption_rate(NAN)));
    EXPECT(isinf(interruption_rate(1)));
}
