import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";

export type Account = ResultOf<typeof PORTAL_ROUTES.listAccounts>["items"][number];

export type Instance = ResultOf<typeof PORTAL_ROUTES.getInstance>;

export type Organization = ResultOf<typeof PORTAL_ROUTES.listOrganizations>["items"][number];
