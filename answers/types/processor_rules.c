/* Tested by tests/answers/types/support_test.c. */
#include "answers/types/processor_rules.h"

#include <string.h>

#define EC2 "docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-type-specifications.html"
#define GCE "cloud.google.com/compute/docs/cpu-platforms"
#define AZURE "learn.microsoft.com/azure/virtual-machines/sizes/overview"
#define X86 "x86_64"
#define ARM "arm64"

/* What the processors have: Haswell and Broadwell AVX2; Skylake-SP, Cascade Lake and Ice Lake-SP
 * AVX-512 without bf16; Sapphire, Emerald and Granite Rapids AMX; EPYC to Milan AVX2; EPYC Genoa
 * and Turin AVX-512 with bf16. A family with several processors gets the features of the oldest.
 * Families with further possible processors (n1, e2, t2, D_v2) are unknown and have no row. */
const struct processor_rule processor_rules[] = {
    {"aws", "c4 m4 r4 i3 d2 h1 x1 x1e p2 p3 g3 g3s f1", "Xeon E5 v3 or v4 (Haswell, Broadwell)",
     X86, CPU_AVX2, false, EC2},
    {"aws",
     "c5 c5d c5n m5 m5d m5n m5dn m5zn r5 r5b r5d r5n r5dn z1d i3en d3 d3en t3 g4dn p3dn p4d"
     " p4de x2iezn inf1",
     "Xeon Skylake or Cascade Lake", X86, CPU_AVX512, false, EC2},
    {"aws", "c6i c6id c6in m6i m6id m6in m6idn r6i r6id r6in r6idn i4i x2idn x2iedn hpc6id",
     "Xeon Ice Lake", X86, CPU_AVX512, false, EC2},
    {"aws", "c7i c7i-flex m7i m7i-flex r7i r7iz", "Xeon Sapphire Rapids", X86, CPU_AMX, false,
     EC2},
    {"aws", "i7i i7ie", "Xeon Emerald Rapids", X86, CPU_AMX, false, EC2},
    {"aws", "c8i c8i-flex m8i m8i-flex r8i r8i-flex", "Xeon Granite Rapids", X86, CPU_AMX, false,
     EC2},
    {"aws", "c5a c5ad m5a m5ad r5a r5ad t3a g4ad g5", "EPYC Naples or Rome", X86, CPU_AVX2, false,
     EC2},
    {"aws", "c6a m6a r6a hpc6a g6 g6e gr6 p5", "EPYC Milan", X86, CPU_AVX2, false, EC2},
    {"aws", "c7a m7a r7a hpc7a", "EPYC Genoa", X86, CPU_AVX512_BF16, false, EC2},
    {"aws", "c8a m8a r8a", "EPYC Turin", X86, CPU_AVX512_BF16, false, EC2},
    {"aws",
     "a1 t4g c6g c6gd c6gn m6g m6gd r6g r6gd x2gd g5g im4gn is4gen i4g c7g c7gd c7gn m7g m7gd r7g"
     " r7gd hpc7g c8g c8gd c8gn m8g m8gd r8g r8gd x8g i8g",
     "Graviton", ARM, CPU_BASE, false, EC2},
    {"gcp", "n2 c2 m2 a2 g2", "Xeon Cascade Lake, some of them Ice Lake", X86, CPU_AVX512, false,
     GCE},
    {"gcp", "m3", "Xeon Ice Lake", X86, CPU_AVX512, false, GCE},
    {"gcp", "c3 h3 z3 a3", "Xeon Sapphire Rapids", X86, CPU_AMX, false, GCE},
    {"gcp", "n4", "Xeon Emerald Rapids", X86, CPU_AMX, false, GCE},
    {"gcp", "c4", "Xeon Emerald Rapids or Granite Rapids", X86, CPU_AMX, false, GCE},
    {"gcp", "n2d", "EPYC Rome or Milan", X86, CPU_AVX2, false, GCE},
    {"gcp", "c2d t2d", "EPYC Milan", X86, CPU_AVX2, false, GCE},
    {"gcp", "c3d", "EPYC Genoa", X86, CPU_AVX512_BF16, false, GCE},
    {"gcp", "c4d h4d", "EPYC Turin", X86, CPU_AVX512_BF16, false, GCE},
    {"gcp", "t2a", "Ampere Altra", ARM, CPU_BASE, false, GCE},
    {"gcp", "c4a n4a", "Axion", ARM, CPU_BASE, false, GCE},
    {"azure",
     "Standard_D_v3 Standard_Ds_v3 Standard_E_v3 Standard_Es_v3 Standard_E_v4 Standard_Es_v4",
     "Xeon, from Broadwell to Ice Lake", X86, CPU_AVX2, true, AZURE},
    {"azure",
     "Standard_D_v4 Standard_Ds_v4 Standard_Dd_v4 Standard_Dds_v4 Standard_Ed_v4 Standard_Eds_v4"
     " Standard_Fs_v2",
     "Xeon Skylake, Cascade Lake or Ice Lake", X86, CPU_AVX512, false, AZURE},
    {"azure",
     "Standard_D_v5 Standard_Ds_v5 Standard_Dd_v5 Standard_Dds_v5 Standard_Dls_v5 "
     "Standard_Dlds_v5"
     " Standard_E_v5 Standard_Es_v5 Standard_Ed_v5 Standard_Eds_v5",
     "Xeon Ice Lake, some of them newer", X86, CPU_AVX512, true, AZURE},
    {"azure",
     "Standard_Ds_v6 Standard_Dds_v6 Standard_Dls_v6 Standard_Dlds_v6 Standard_Es_v6"
     " Standard_Eds_v6",
     "Xeon Emerald Rapids", X86, CPU_AMX, false, AZURE},
    {"azure",
     "Standard_Da_v4 Standard_Das_v4 Standard_Ea_v4 Standard_Eas_v4 Standard_Das_v5"
     " Standard_Dads_v5 Standard_Eas_v5 Standard_Eads_v5",
     "EPYC Rome or Milan, some of them newer", X86, CPU_AVX2, true, AZURE},
    {"azure",
     "Standard_Das_v6 Standard_Dads_v6 Standard_Dals_v6 Standard_Dalds_v6 Standard_Eas_v6"
     " Standard_Eads_v6 Standard_Fas_v6 Standard_Fals_v6 Standard_Fams_v6 Standard_HBrs_v4"
     " Standard_HXrs",
     "EPYC Genoa", X86, CPU_AVX512_BF16, false, AZURE},
    {"azure", "Standard_HBrs_v2 Standard_HBrs_v3", "EPYC Rome or Milan", X86, CPU_AVX2, false,
     AZURE},
    {"azure", "Standard_HCrs", "Xeon Skylake", X86, CPU_AVX512, false, AZURE},
    {"azure",
     "Standard_Dps_v5 Standard_Dpds_v5 Standard_Dpls_v5 Standard_Dplds_v5 Standard_Eps_v5"
     " Standard_Epds_v5",
     "Ampere Altra", ARM, CPU_BASE, false, AZURE},
    {"azure",
     "Standard_Dps_v6 Standard_Dpds_v6 Standard_Dpls_v6 Standard_Dplds_v6 Standard_Eps_v6"
     " Standard_Epds_v6",
     "Cobalt 100", ARM, CPU_BASE, false, AZURE},
    {0},
};

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");

        if (size == length && strncmp(at, word, length) == 0)
            return true;
        at += size;
    }
    return false;
}

const struct processor_rule *processor_rule_of(const char *provider, const char *family)
{
    size_t length = strcmp(provider, "gcp") == 0 ? strcspn(family, "-") : strlen(family);

    for (const struct processor_rule *rule = processor_rules; rule->provider; rule++)
        if (strcmp(rule->provider, provider) == 0 && has_word(rule->families, family, length))
            return rule;
    return NULL;
}
