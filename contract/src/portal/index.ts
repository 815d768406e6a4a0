import { ACCOUNT_ROWS } from "./account.ts";
import { BACKUP_ROWS } from "./backups.ts";
import { INSTANCE_ROWS } from "./instance.ts";
import { JOB_ROWS } from "./jobs.ts";
import { LOGIN_ROWS } from "./logins.ts";
import { OPERATOR_ROWS } from "./operators.ts";
import { RECOVERY_ROWS } from "./recovery.ts";
import { SIGN_IN_ROWS } from "./sign-in.ts";

export { LOGIN_CLIENT_ID } from "./logins.ts";
export { DISCOVERY_ROUTES, SERVICE_PREFIXES, ServiceAddresses, type ApiService } from "./discovery.ts";

/** The operations of operators, for the pages, programs and commands. */
export const OPERATOR_ROUTES = { ...INSTANCE_ROWS, ...OPERATOR_ROWS, ...JOB_ROWS, ...BACKUP_ROWS } as const;

/** The interface between the portal's pages and their server. It is not stable. */
export const PORTAL_ROUTES = {
  ...SIGN_IN_ROWS,
  ...ACCOUNT_ROWS,
  ...LOGIN_ROWS,
  ...RECOVERY_ROWS,
  ...INSTANCE_ROWS,
  ...BACKUP_ROWS,
  ...JOB_ROWS,
  ...OPERATOR_ROWS,
} as const;
