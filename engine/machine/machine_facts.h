/* The facts of a machine that questions are asked about, decoded. */
#pragma once

/* Texts are "" and numbers 0 where unknown. */
struct machine_facts {
    char cpu_model[96], isa[32], architecture[16], kernel[96], microcode[32];
    double processors, cores, numa_nodes, memory_gib;
};

/* `text` is as in struct machine; NULL and what is no JSON: nothing is known. */
void machine_facts_read(const char *text, struct machine_facts *ret_facts);
