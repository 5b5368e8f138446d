/* Counters of the machine and of a run's process at one moment; they only grow. -1: unknown. */
#pragma once

struct observation {
    long long steps;                           /* finished by then */
    long long taken_ns;                        /* since the worker's start */
    long long cpu_ticks, steal_ticks;          /* of all processors; steal is the hypervisor's */
    long long throttled_periods, throttled_us; /* by the quota of its control group */
    long long involuntary_switches;            /* of all threads of the process */
    long long waited_ns;                       /* of the same: ready, but without a processor */
    long long own_cpu_ns;                      /* of the same */
    long long major_faults;                    /* of the process: faults that read a disk */
    long long swap_ins;                        /* pages, of the whole machine */
};
