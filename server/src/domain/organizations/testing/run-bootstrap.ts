/**
 * A separate process that bootstraps, for the test of concurrent bootstraps. Arguments: data directory, organization,
 * and an optional database URL.
 */
import { systemClock as clock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { bootstrapOrganization } from "../index.ts";

const [dataDir = "", org = "", url] = process.argv.slice(2);
const metadata = await openMetadata({ url, dataDir, clock });
const { organization, project, app, owner, setupToken } = await bootstrapOrganization(
  { metadata, clock },
  { org, project: "web", app: "shop" },
);
await metadata.close();
process.stdout.write(
  JSON.stringify({ ids: [organization.id, project.id, app.id, owner.id], hasLink: setupToken !== null }),
);
