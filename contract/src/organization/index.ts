import { ACCESS_ROWS } from "./access.ts";
import { ACTIVITY_ROWS } from "./activity.ts";
import { APP_ROWS } from "./apps.ts";
import { AUDIT_ROWS } from "./audit.ts";
import { CUSTOM_ROLE_ROWS } from "./custom-roles.ts";
import { CREDENTIAL_ROWS } from "./credentials.ts";
import { ENDING_ROWS } from "./endings.ts";
import { GROUP_ROWS } from "./groups.ts";
import { INGEST_KEY_ROWS } from "./ingest-keys.ts";
import { LEAK_ROWS } from "./leaks.ts";
import { MEMBER_ROWS } from "./members.ts";
import { ORGANIZATION_ROWS } from "./organization.ts";
import { PROJECT_ROWS } from "./projects.ts";
import { REQUEST_ROWS } from "./requests.ts";
import { S3_DESTINATION_ROWS } from "./s3-destinations.ts";
import { S3_KEY_ROWS } from "./s3-keys.ts";
import { TRASH_ROWS } from "./trash.ts";
import { TRUST_ROWS } from "./trusts.ts";

/** The organization API: the objects of an organization, its permissions and its audit log. */
export const ORGANIZATION_ROUTES = {
  ...ORGANIZATION_ROWS,
  ...PROJECT_ROWS,
  ...APP_ROWS,
  ...MEMBER_ROWS,
  ...GROUP_ROWS,
  ...CUSTOM_ROLE_ROWS,
  ...ENDING_ROWS,
  ...ACCESS_ROWS,
  ...CREDENTIAL_ROWS,
  ...INGEST_KEY_ROWS,
  ...TRUST_ROWS,
  ...ACTIVITY_ROWS,
  ...S3_KEY_ROWS,
  ...LEAK_ROWS,
  ...S3_DESTINATION_ROWS,
  ...TRASH_ROWS,
  ...AUDIT_ROWS,
  ...REQUEST_ROWS,
} as const;
