#include "engine/train/net/net.h"

#include "common/cleanup.h"

enum net_plan net_plan_from_name(const char *name)
{
    if (strcmp(name, "plain") == 0)
        return NET_PLAIN;
    return strcmp(name, "fixed") == 0 ? NET_FIXED : NET_AUTO;
}

enum net_layout net_layout_from_name(const char *name)
{
    if (strcmp(name, "nchw") == 0)
        return NET_NCHW;
    return strcmp(name, "blocked") == 0 ? NET_BLOCKED : NET_NHWC;
}
