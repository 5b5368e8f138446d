#include "common/chance.h"
#include "common/hash.h"

#include "common/text.h"

/* One step of the generator, so that similar names get distant states. */
struct chance chance_from(const char *text)
{
    struct chance chance = {hash_text(HASH_START, text)};

    chance.state = chance_next(&chance);
    return chance;
}

long long chance_jitter(struct chance *chance, long long ns, double low, double high)
{
    double share = (double)(chance_next(chance) >> 11) * 0x1p-53; /* below 1 */

    return (long long)((double)ns * (low + (high - low) * share));
}
