/* What a machine is billed for in addition to plain Linux on shared hardware, the only terms with
 * feed prices. From the clouds' metadata services; "" if they say nothing. They do not say
 * everything: AWS reports a dedicated host, but not a dedicated instance; Google reports the
 * image of the disk, which may be a copy under another name. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#define TERMS_SIZE 48

/* From the billing products in /latest/dynamic/instance-identity/document. */
void terms_of_aws(const char *document, size_t length, char ret_terms[TERMS_SIZE]);

/* From the project of the image: "projects/rhel-cloud/global/images/rhel-9-v20260801". */
void terms_of_gcp(const char *image, char ret_terms[TERMS_SIZE]);

/* From the document of the compute instance: operating system, publisher of the image, and
 * license type. */
void terms_of_azure(const json_t *compute, char ret_terms[TERMS_SIZE]);
