import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Project = ResultOf<typeof ORGANIZATION_ROUTES.getProject>;
export type App = ResultOf<typeof ORGANIZATION_ROUTES.getApp>;

/** The page's state, as its address has it. */
export type ProjectsSearch = {
  /** Id of the project that is open. */
  readonly open: string | undefined;
  readonly tab: string | undefined;
  readonly new: boolean | undefined;
  /** Only those of this environment. */
  readonly environment: string | undefined;
  /** Archived ones as well. */
  readonly archived: boolean | undefined;
};
