import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type IngestKey = ResultOf<typeof ORGANIZATION_ROUTES.getIngestKey>;
export type NewIngestKey = ResultOf<typeof ORGANIZATION_ROUTES.createIngestKey>;
