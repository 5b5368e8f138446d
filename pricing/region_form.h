/* The provider of a region, from the form of its name: "eu-central-1" and "us-west-2-lax-1" are
 * AWS, "europe-west4" Google, "westeurope" and "eastus2" Azure. Pure. */
#pragma once

#include <stdbool.h>

/* "aws", "gcp", "azure"; NULL for other forms. */
const char *provider_of_region(const char *name);
