import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Project = ResultOf<typeof ORGANIZATION_ROUTES.getProject>;
export type App = ResultOf<typeof ORGANIZATION_ROUTES.getApp>;

/** The page's state in its address. */
export type ProjectsSearch = {
  /** Id of the open project. */
  readonly open: string | undefined;
  readonly tab: string | undefined;
  readonly new: boolean | undefined;
  /** Lists only projects of this environment. */
  readonly environment: string | undefined;
  /** Whether archived projects are listed. */
  readonly archived: boolean | undefined;
};
