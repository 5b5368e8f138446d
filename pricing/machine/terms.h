/* What a machine is billed for beyond plain Linux on shared hardware, which is all that feeds
 * have prices of. Read from what the clouds' metadata services say of it; "" where they say
 * nothing. The services do not say everything: AWS tells a dedicated host, but not a dedicated
 * instance; Google tells the image of the disk, which may be a copy under another name. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#define TERMS_SIZE 48

/* The document /latest/dynamic/instance-identity/document: its billing products. */
void terms_of_aws(const char *document, size_t length, char ret_terms[TERMS_SIZE]);

/* The image, "projects/rhel-cloud/global/images/rhel-9-v20260801": its project. */
void terms_of_gcp(const char *image, char ret_terms[TERMS_SIZE]);

/* The document of the compute instance: operating system, publisher of the image, and kind of
 * licence. */
void terms_of_azure(const json_t *compute, char ret_terms[TERMS_SIZE]);
