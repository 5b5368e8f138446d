/* OpenAPI `content` of answers that are not JSON, or not only, as JSON text. */
#pragma once

extern const char page_forms[], asset_forms[], any_object_forms[], import_forms[], export_forms[],
    verdict_forms[], sweep_forms[], sweep_events_forms[], backup_forms[], comparison_forms[],
    picture_forms[], support_forms[], steps_forms[], run_events_forms[];
