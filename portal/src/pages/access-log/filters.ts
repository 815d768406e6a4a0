/** The filters of the list, in the address. */
export type Filters = {
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly actor?: string | undefined;
  readonly target?: string | undefined;
  readonly address?: string | undefined;
};

export const NO_FILTERS: Filters = {
  action: undefined,
  outcome: undefined,
  actor: undefined,
  target: undefined,
  address: undefined,
};

export const OUTCOMES = ["success", "refused", "failed", "aborted"] as const;
export const ROWS_MAX = 200;

/** Returns the filters in an address. The router may have parsed some values as numbers. */
export function filtersOf(search: object): Filters {
  return Object.fromEntries(
    (Object.entries(search) as [string, string | number | undefined][]).flatMap(([name, value]) =>
      name in NO_FILTERS && value !== undefined && value !== "" ? [[name, String(value)]] : [],
    ),
  );
}

const CONDITIONS: Readonly<Record<keyof Filters, string>> = {
  action: "action = $action",
  outcome: "outcome = $outcome",
  actor: "(actor_id = $actor OR actor_name = $actor OR grant_by = $actor)",
  target: "(target_id = $target OR starts_with(target_name, $target))",
  address: "ip = $address",
};

export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns the statement for the rows, newest first. `projectId`: only rows of this project. */
export function statementOf(filters: Filters, projectId: string | undefined): Statement {
  const { where, parameters } = conditionsOf(filters, projectId);
  return {
    sql: `SELECT timestamp, seq, node, action, outcome, status, actor_kind, actor_id, actor_name, grant_by, target_kind, target_id, target_name, bytes_in, bytes_out, rows, ip, via, sample_rate\nFROM access_log${where}\nORDER BY timestamp DESC, seq DESC LIMIT ${ROWS_MAX}`,
    parameters,
  };
}

function conditionsOf(
  filters: Filters,
  projectId: string | undefined,
): { readonly where: string; readonly parameters: Statement["parameters"] } {
  const named = Object.entries(filters).filter(([, value]) => value !== undefined) as [keyof Filters, string][];
  const conditions = named.map(([name]) => CONDITIONS[name]);
  if (projectId !== undefined) conditions.push("project_id = $project");
  const where = conditions.length === 0 ? "" : `\nWHERE ${conditions.join("\n  AND ")}`;
  return {
    where,
    parameters: { ...Object.fromEntries(named), ...(projectId === undefined ? {} : { project: projectId }) },
  };
}

/** Returns the statement that estimates the accesses of each hour by outcome. */
export function hoursStatement(filters: Filters, projectId: string | undefined): Statement {
  const { where, parameters } = conditionsOf(filters, projectId);
  return {
    sql: `SELECT floor(epoch(timestamp) / 3600) * 3600 AS hour, outcome, sum(sample_rate) AS accesses\nFROM access_log${where}\nGROUP BY ALL ORDER BY hour`,
    parameters,
  };
}

/** Returns the statement with its parameters as texts, for the page SQL. */
export function sqlOf({ sql, parameters }: Statement): string {
  return sql.replaceAll(/\$(\w+)/g, (_, name: string) => `'${(parameters[name] ?? "").replaceAll("'", "''")}'`);
}
