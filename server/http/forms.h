/* Types of content that answers have beyond the JSON of their rows: the member `content` of
 * OpenAPI, as JSON. Those without a name here are the text that a route produces. */
#pragma once

extern const char page_forms[], asset_forms[], any_object_forms[], import_forms[], export_forms[],
    verdict_forms[], sweep_forms[], sweep_events_forms[], backup_forms[], comparison_forms[],
    picture_forms[], support_forms[], steps_forms[], run_events_forms[];
