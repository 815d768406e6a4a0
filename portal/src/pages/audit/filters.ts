/** The filters of the log, in the address. */
export type Filters = {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly result?: string | undefined;
  readonly request_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

export const NO_FILTERS: Filters = {
  actor: undefined,
  action: undefined,
  target: undefined,
  result: undefined,
  request_id: undefined,
  from: undefined,
  to: undefined,
};

export const RESULTS = ["success", "denied", "failure"] as const;

/** Returns the filters in an address. The router may have parsed some values as numbers. */
export function filtersOf(search: object): Filters {
  return Object.fromEntries(
    (Object.entries(search) as [string, string | number | undefined][]).flatMap(([name, value]) =>
      name in NO_FILTERS && value !== undefined && value !== "" ? [[name, String(value)]] : [],
    ),
  );
}

/** Returns the parameters for the API. */
export function queryOf(filters: Filters): Omit<Filters, "result"> & { readonly result?: (typeof RESULTS)[number] } {
  const { result, ...rest } = filters;
  const known = RESULTS.find((each) => each === result);
  return known === undefined ? rest : { ...rest, result: known };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns a SQL statement for the same entries. */
export function sqlOf({ actor, action, target, result, request_id: request, from, to }: Filters): string {
  const where = [
    actor !== undefined && `actor_id = ${quoted(actor)}`,
    action !== undefined && `starts_with(action, ${quoted(action)})`,
    target !== undefined && `target_id = ${quoted(target)}`,
    result !== undefined && `result = ${quoted(result)}`,
    request !== undefined && `request_id = ${quoted(request)}`,
    from !== undefined && `timestamp >= ${quoted(from)}`,
    to !== undefined && `timestamp < ${quoted(to)}`,
  ].filter((condition) => condition !== false);
  const conditions = where.length === 0 ? "" : `\nWHERE ${where.join("\n  AND ")}`;
  return `SELECT timestamp, actor_kind, actor_id, action, target_kind, target_id, result, ip, request_id, detail\nFROM audit_log${conditions}\nORDER BY timestamp DESC LIMIT 100`;
}

/** Groups of actions to choose from, by prefix. The API accepts any prefix. */
export const FAMILIES: readonly (readonly [prefix: string, title: string])[] = [
  ["credential.", "credentials"],
  ["token.", "access tokens"],
  ["s3_key.", "S3 keys"],
  ["member.", "members"],
  ["invitation.", "invitations"],
  ["project.", "projects and their members"],
  ["app.", "apps"],
  ["organization.", "the organization"],
  ["session.", "sign-ins"],
  ["passkey.", "passkeys"],
  ["webhook.", "webhooks"],
  ["alert.", "alerts"],
  ["file.", "files"],
  ["image.", "images"],
  ["object.", "objects"],
  ["telemetry.", "telemetry settings"],
  ["access_log.", "the access log"],
  ["query_log.", "the query log"],
  ["key.", "signing keys"],
];
