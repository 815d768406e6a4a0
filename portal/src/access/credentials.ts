import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Credential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;
export type NewCredential = ResultOf<typeof ORGANIZATION_ROUTES.createCredential>;
