#include "server/http/path_ids.h"

#include "common/cleanup.h"

static const struct path_id path_ids[] = {
    {"/v1/runs/", "RunId", "run"},         {"/v1/sweeps/", "SweepId", "sweep"},
    {"/assets/", "AssetName", NULL},       {"/v1/machines/", "Fingerprint", NULL},
    {"/v1/prices/", "PriceId", NULL},      {"/v1/figures/", "FigureId", NULL},
    {"/v1/discounts/", "DiscountId", NULL}};

const struct path_id *path_id_of(const char *pattern)
{
    for (size_t i = 0; strstr(pattern, "{id}") && i < COUNT(path_ids); i++)
        if (strncmp(pattern, path_ids[i].begin, strlen(path_ids[i].begin)) == 0)
            return &path_ids[i];
    return NULL;
}
