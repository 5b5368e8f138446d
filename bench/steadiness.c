/* How often a steady run is refused, and how often a number that is not steady is ranked: every
 * shape, noise and length of tests/engine/stats/steadiness.h. Prints what fails the bounds, or
 * all.
 *
 *     steadiness [RUNS [all]]      2,000 of each unless said otherwise: a minute or two
 */
#include "tests/engine/stats/steadiness.h"

#include <stdlib.h>

int main(int count, char **words)
{
    int runs = count > 1 ? (int)strtoll(words[1], NULL, 10) : 2000, failing = 0, all = 0;
    double invalid = 0, wrong = 0, covered = 1;

    if (runs < 1)
        return 2;
    printf("%-12s %6s %6s %5s %5s  %7s %7s %7s %7s %6s\n", "shape", "length", "factor", "steps",
           "lag 1", "at once", "invalid", "wrong", "covered", "length");
    for (size_t i = 0; i < COUNT(disturbances); i++)
        for (size_t noise = 0; noise < COUNT(noises); noise++)
            for (size_t l = 0; l < COUNT(lengths); l++) {
                struct outcome it = run_many(&disturbances[i], noise, lengths[l], runs);
                double n = it.runs, ranked = n - it.invalid;
                double cover = ranked > 0 ? it.covered / ranked : 1;
                bool fails = it.invalid > 0.01 * n || it.wrong > 0.01 * n || cover < 0.93;

                all++;
                failing += fails;
                invalid = fmax(invalid, it.invalid / n);
                wrong = fmax(wrong, it.wrong / n);
                covered = fmin(covered, cover);
                if (fails || count > 2)
                    printf("%-12s %6.2f %6.2f %5zu %5.2f  %7.3f %7.4f %7.4f %7.3f %6.2f\n",
                           disturbances[i].name, disturbances[i].length, disturbances[i].factor,
                           lengths[l], noises[noise].lag1, it.at_once / n, it.invalid / n,
                           it.wrong / n, cover, it.length / n);
            }
    printf("%d of %d beyond the bounds; worst: invalid %.4f, wrong %.4f, covered %.3f\n", failing,
           all, invalid, wrong, covered);
    return 0;
}
