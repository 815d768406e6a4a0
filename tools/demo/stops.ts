import { bootstrap } from "./bootstrap.ts";
import { busiestMinutes } from "./busiest-minutes.ts";
import type { Stop } from "./context.ts";
import { failedLogins } from "./failed-logins.ts";
import { image } from "./image.ts";
import { ingest } from "./ingest.ts";
import { slowPaths } from "./slow-paths.ts";
import { token } from "./token.ts";

/** The stops of the tour, in order. A new stop is a separate file and a line here. */
export const STOPS: readonly Stop[] = [bootstrap, token, ingest, busiestMinutes, failedLogins, slowPaths, image];
