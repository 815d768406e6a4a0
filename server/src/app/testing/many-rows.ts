/** Fills the records with many rows, so that tests can check the plans of lists. */
import type { MetadataStore } from "#stores/metadata/index.ts";

export const MILLION = 1_000_000;
/** The number of rows in smaller tables. */
const MANY = 50_000;
/** The number of oldest rows that differ from all others. */
const RARE = 5;
const STEP_MS = 1_000;
/** The newest row is of today: retention would delete expired rows while the lists are read. */
export const FIRST_AT = Date.now() - (MILLION + 600) * STEP_MS;

/** The prefix of the oldest 30,000 names after the rare ones. */
export const OLD_NAMES = "old_";
const OLD = 30_000;
/** One key with half of all old versions, and one with a quarter of all uploads. */
export const MANY_VERSIONS = "a_many_versions";
export const MANY_UPLOADS = "d_many_uploads";
/** The subject of most manifests. */
export const SUBJECT = `sha256:${"0".repeat(64)}`;
/** The number of the operator's personal tokens; most are revoked. */
const PERSONAL = 20_000;

export interface Ids {
  readonly org: string;
  readonly project: string;
  readonly app: string;
  readonly webhook: string;
  readonly destination: string;
  readonly alert: string;
  readonly credential: string;
  readonly group: string;
  readonly query: string;
  /** Slug of the app, and its name in the registry. */
  readonly bucket: string;
  readonly repository: string;
  /** The ID of the person who is signed in. */
  readonly operator: string;
}

interface Fill {
  readonly rows: number;
  /** SQL of columns; `n` is the number of the row. Other columns are null, 0 or an empty text. */
  readonly columns: Readonly<Record<string, string>>;
}

const text = (value: string): string => `'${value}'`;
const at = `${FIRST_AT} + s.n * ${STEP_MS}`;
const rare = (value: string, else_: string): string => `case when s.n <= ${RARE} then '${value}' else '${else_}' end`;
/** The time of today's rows. Retention would delete older rows during the test. */
const TODAY = String(FIRST_AT + MILLION * STEP_MS);
const FAR = "9000000000000";

/** Copies a column of a row that the API created. */
const ofReal = (table: string, id: string, column: string): string =>
  `(select o."${column}" from "${table}" as o where o.id = '${id}')`;

/** `number` is the SQL of a whole number; the default is `n`. */
type MakeId = (prefix: string, number?: string) => string;
type Fills = Readonly<Record<string, Fill>>;

/** Rows for every table that a list of the API shows. `id` makes IDs that rise with `n`. */
export function fillsOf(ids: Ids, id: MakeId): Fills {
  return {
    ...fillsOfEvents(ids, id),
    ...fillsOfTrash(ids, id),
    ...fillsOfRequests(ids, id),
    ...fillsOfContents(ids, id),
    ...fillsOfKeys(ids, id),
    ...fillsOfGroups(ids, id),
    ...fillsOfPlaces(ids, id),
    ...fillsOfQueries(ids, id),
    ...fillsOfS3(ids, id),
    ...fillsOfRegistry(ids, id),
    ...fillsOfServer(ids, id),
  };
}

function fillsOfTrash(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const project_id = text(ids.project);
  return {
    trash_item: {
      rows: MILLION,
      columns: {
        id: id("trash"),
        org_id,
        project_id,
        kind: rare("project", "webhook"),
        object_id: id("hook"),
        name: "'item'",
        detail: "'{}'",
        deleted_at: at,
        purge_at: FAR,
      },
    },
  };
}

function fillsOfRequests(ids: Ids, id: MakeId): Fills {
  return {
    refused_request: {
      rows: MILLION,
      columns: {
        id: id("req"),
        org_id: text(ids.org),
        actor_id: rare("cred_rare", "cred_common"),
        at: `${TODAY} - s.n`,
        record: `'{"wouldAllow":[]}'`,
      },
    },
  };
}

function fillsOfEvents(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const project_id = text(ids.project);
  const webhook_id = text(ids.webhook);
  return {
    webhook_event: {
      rows: MILLION,
      columns: {
        seq: "1000 + s.n",
        id: id("evt"),
        org_id,
        project_id,
        webhook_id,
        received_at: at,
        method: "'POST'",
        headers: "'[]'",
        ip: "'192.0.2.1'",
        type: rare("rare", "push"),
        verified: rare("stripe", "none"),
      },
    },
    audit: {
      rows: MILLION,
      columns: {
        org_id,
        seq: "10000000 + s.n",
        id: id("aud"),
        at,
        actor_kind: "'credential'",
        actor_id: rare("cred_rare", "cred_common"),
        action: `case when s.n <= ${RARE} then 'rare.thing' when s.n % 3 = 0 then 'file.create' else 'file.delete' end`,
        target_kind: "'file'",
        target_id: rare("file_rare", "file_common"),
        result: rare("failure", "success"),
        request_id: rare("req_rare", "req_common"),
        detail: "'{}'",
        hash: id("h"),
      },
    },
    webhook_delivery: {
      rows: MILLION,
      columns: {
        id: id("dlv"),
        org_id,
        webhook_id,
        destination_id: text(ids.destination),
        event_id: id("evt"),
        event_seq: "1000 + s.n",
        state: rare("dead", "delivered"),
        created_at: at,
      },
    },
    webhook_rejection: {
      rows: MANY,
      // Rows are kept for a day.
      columns: {
        id: id("rej"),
        org_id,
        webhook_id,
        at: TODAY,
        body: "EMPTY",
        headers: "'[]'",
      },
    },
  };
}

function fillsOfContents(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const project_id = text(ids.project);
  return {
    file: {
      rows: MILLION,
      columns: {
        id: id("file"),
        org_id,
        project_id: `case when s.n <= ${RARE} then ${project_id} end`,
        // Every second name belongs to one file.
        filename: `case when s.n <= ${RARE} then 'rare.txt' when s.n <= ${OLD} then ${id("old")} when s.n % 2 = 0 then 'common.txt' else ${id("name")} end`,
        content_type: "'text/plain'",
        blob_id: id("blob"),
        created_at: at,
      },
    },
    trashed_file: {
      rows: MANY,
      columns: {
        id: id("file"),
        org_id,
        project_id: `case when s.n <= ${RARE} then ${project_id} end`,
        filename: "'gone.txt'",
        content_type: "'text/plain'",
        blob_id: id("gone"),
        created_at: at,
        deleted_at: at,
        purge_at: "9000000000000",
      },
    },
  };
}

function fillsOfS3(ids: Ids, id: MakeId): Fills {
  const [bucket, org_id] = [text(ids.app), text(ids.org)];
  const modified_at = at;
  const done = "s.n <= 500000";
  return {
    s3_object: {
      rows: MILLION,
      columns: { bucket, org_id, key: "KEY", version_id: id("v"), seq: "s.n", modified_at },
    },
    s3_history: {
      rows: MILLION,
      columns: {
        bucket,
        org_id,
        key: `case when s.n <= 500000 then KEY(${MANY_VERSIONS}) else KEY end`,
        version_id: id("v"),
        seq: "2000000 + s.n",
        modified_at,
      },
    },
    s3_upload: {
      rows: MILLION,
      columns: {
        id: id("upl"),
        bucket,
        org_id,
        key: `case when s.n > 500000 and s.n <= 750000 then KEY(${MANY_UPLOADS}) else KEY end`,
        detail: "'{}'",
        created_at: TODAY,
        completed_at: `case when ${done} then ${TODAY} end`,
      },
    },
    s3_part: {
      rows: 10_000,
      columns: { upload_id: id("upl", String(MILLION)), number: "s.n", org_id, modified_at, blob_id: id("part") },
    },
  };
}

function fillsOfRegistry(ids: Ids, id: MakeId): Fills {
  const [repository, org_id] = [text(ids.app), text(ids.org)];
  return {
    registry_tag: { rows: MANY, columns: { repository, org_id, name: id("tag"), digest: id("sha") } },
    registry_manifest: {
      rows: MILLION,
      columns: {
        repository,
        org_id,
        digest: id("sha"),
        annotations: "'{}'",
        subject: text(SUBJECT),
        artifact_type: rare("rare", "common"),
        size: "1",
      },
    },
    registry_blob: { rows: MANY, columns: { repository, org_id, digest: id("blob"), sha256: id("blob"), size: "1" } },
    // Few of the apps have images.
    registry_repository: {
      rows: MANY,
      columns: {
        id: id("app"),
        org_id,
        slug: id("slug"),
        immutable_tags: "'[]'",
        last_push_at: `case when s.n % 10000 = 0 then ${at} end`,
      },
    },
  };
}

/** Rows for the operator's lists, and a person's lists. */
function fillsOfServer(ids: Ids, id: MakeId): Fills {
  const operator = text(ids.operator);
  const user_id = `case when s.n <= 20 then ${operator} else ${id("user", "(s.n % 40000) + 1")} end`;
  return {
    organization: {
      rows: MANY,
      columns: {
        id: id("org"),
        slug: id("other"),
        name: "'many'",
        state: "'active'",
        policy: "'{}'",
        token_lifetime_s: "900",
        created_at: at,
      },
    },
    job: {
      rows: MANY,
      columns: {
        id: id("job"),
        kind: rare("few", "many"),
        key: id("job"),
        payload: "'{}'",
        due_at: FAR,
        created_at: at,
      },
    },
    browser_session: {
      rows: MILLION,
      columns: {
        id: id("ses"),
        user_id,
        secret_hash: id("h"),
        method: "'password'",
        created_at: TODAY,
        confirmed_at: TODAY,
        last_seen_at: TODAY,
        expires_at: FAR,
      },
    },
    passkey: {
      rows: MANY,
      columns: { id: id("pass"), user_id, credential_id: id("pk"), transports: "'[]'", name: "'many'", created_at: at },
    },
  };
}

function fillsOfKeys(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const project_id = text(ids.project);
  const live = { revoked_at: `case when s.n % 2 = 0 then null else 1 end` };
  return {
    credential: {
      rows: MANY + PERSONAL,
      columns: {
        id: id("cred"),
        kind: `case when s.n <= ${MANY} then 'app' else 'personal' end`,
        client_id: id("client"),
        org_id,
        project_id: `case when s.n <= ${RARE} then ${project_id} end`,
        name: "'many'",
        scopes: "'[]'",
        created_by: `case when s.n <= ${MANY} then 'system' else ${text(ids.operator)} end`,
        responsible: `case when s.n <= ${MANY} then 'system' else ${text(ids.operator)} end`,
        created_at: at,
        revoked_at: `case when s.n > ${MANY} and s.n <= ${MANY + PERSONAL - 100} then 1 when s.n % 2 = 0 then null else 1 end`,
      },
    },
    credential_trust: {
      rows: MANY,
      columns: {
        id: id("trust"),
        org_id,
        // Two for each credential that is not revoked, because revoking a credential deletes its trusts.
        credential_id: id("cred", "(s.n + 1) / 2 * 2"),
        project_id: `case when s.n <= ${RARE - 1} then ${project_id} end`,
        claims: "'{}'",
        created_at: at,
      },
    },
    s3_key: {
      rows: MANY,
      columns: {
        id: id("key"),
        org_id,
        project_id: `case when s.n <= ${RARE} then ${project_id} end`,
        access_key: id("AK"),
        name: "'many'",
        created_at: at,
        ...live,
      },
    },
    ingest_rule: {
      rows: MANY,
      columns: {
        id: id("rule"),
        org_id,
        name: "'many'",
        types: "'[]'",
        match: "'{}'",
        action: "'drop'",
        created_at: at,
      },
    },
    telemetry_erasure: { rows: MANY, columns: { id: id("era"), org_id, types: "'[]'", created_at: at } },
    s3_destination: { rows: MANY, columns: { id: id("dst"), org_id, name: id("dst"), created_at: at } },
  };
}

function fillsOfGroups(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const created_at = at;
  return {
    person_group: {
      rows: MANY,
      columns: { id: id("group"), org_id, slug: id("slug"), name: "'many'", created_at },
    },
    group_member: {
      rows: MANY,
      columns: {
        org_id,
        group_id: `case when s.n <= 1000 then ${text(ids.group)} else ${id("group")} end`,
        user_id: id("user"),
        source: "'manual'",
        created_at,
      },
    },
    project_group: {
      rows: MANY,
      columns: { org_id, project_id: text(ids.project), group_id: id("group"), role: "'reader'", created_at },
    },
    custom_role: {
      rows: 100,
      columns: { id: id("role"), org_id, slug: id("slug"), name: "'many'", kind: "'project'", created_at },
    },
  };
}

function fillsOfPlaces(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  const project_id = text(ids.project);
  return {
    project: {
      rows: MANY,
      columns: {
        id: id("proj"),
        org_id,
        slug: id("slug"),
        name: "'many'",
        visibility: "'organization'",
        environment: rare("rare", "production"),
        created_at: at,
        state: `case when s.n <= ${RARE} then 'archived' else 'active' end`,
        state_since: `case when s.n <= ${RARE} then 1 end`,
      },
    },
    app: {
      rows: MANY,
      columns: { id: id("app"), org_id, project_id: id("proj"), slug: id("slug"), name: "'many'", created_at: at },
    },
    webhook: {
      rows: MANY,
      columns: {
        id: id("hook"),
        org_id,
        project_id: id("proj"),
        name: "'many'",
        settings: ofReal("webhook", ids.webhook, "settings"),
        created_at: at,
      },
    },
    invitation: {
      rows: MANY,
      columns: { id: id("inv"), org_id, email: id("mail"), role: "'viewer'", token_hash: id("t"), created_at: at },
    },
    person: {
      rows: MANY,
      columns: {
        id: id("user"),
        email: id("mail"),
        name: "'many'",
        created_at: at,
        password_hash: `case when s.n <= ${RARE} then 'none' end`,
      },
    },
    // Each of the other organizations has one member.
    member: {
      rows: 2 * MANY,
      columns: {
        org_id: `case when s.n <= ${MANY} then ${org_id} else ${id("org", `s.n - ${MANY}`)} end`,
        user_id: id("user", `s.n - case when s.n <= ${MANY} then 0 else ${MANY} end`),
        role: "'viewer'",
        created_at: at,
      },
    },
    project_member: {
      rows: MANY,
      columns: { org_id, project_id, user_id: id("user"), role: "'reader'", created_at: at },
    },
  };
}

function fillsOfQueries(ids: Ids, id: MakeId): Fills {
  const org_id = text(ids.org);
  return {
    saved_query: {
      rows: MANY,
      columns: {
        id: id("query"),
        org_id,
        project_id: id("proj"),
        place: id("proj"),
        name: "'many'",
        sql: "'select 1'",
        parameters: "'[]'",
        parameter_names: "'[]'",
        created_at: at,
      },
    },
    alert: {
      rows: MANY,
      columns: {
        id: id("alert"),
        org_id,
        query_id: id("query"),
        name: "'many'",
        settings: ofReal("alert", ids.alert, "settings"),
        progress: ofReal("alert", ids.alert, "progress"),
        created_at: at,
      },
    },
    alert_delivery: {
      rows: MANY,
      columns: { id: id("dlv"), alert_id: text(ids.alert), org_id, seq: "s.n", state: "'delivered'", created_at: at },
    },
    alert_evaluation: {
      rows: MANY,
      columns: { alert_id: text(ids.alert), seq: "s.n", at, outcome: "'true'", value: "'1'" },
    },
  };
}

/** Returns statements that fill every table. */
export async function fillStatements(
  { dialect, read }: Pick<MetadataStore, "dialect" | "read">,
  ids: Ids,
): Promise<string[]> {
  const isSqlite = dialect === "sqlite";
  const id: MakeId = (prefix, number = "s.n") =>
    `'${prefix}_' || ${isSqlite ? `printf('%026d', ${number})` : `lpad((${number})::text, 26, '0')`}`;
  const tables = await read.introspection.getTables();
  const filled = Object.entries(fillsOf(ids, id)).map(([name, { rows, columns }]) => {
    const table = tables.find((each) => each.name === name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    const unknown = Object.keys(columns).filter((column) => !table.columns.some((each) => each.name === column));
    if (unknown.length > 0) throw new Error(`${name} has no column ${unknown.join()}`);
    const empty = isSqlite ? "x''" : "''::bytea";
    const bytes = (of: string): string => (isSqlite ? `cast(${of} as blob)` : `convert_to(${of}, 'UTF8')`);
    const withKeys = (of: string): string =>
      of.replace(/KEY\((\w+)\)/g, (_all, name: string) => bytes(text(name))).replace(/\bKEY\b/g, bytes(id("k")));
    const valueOf = (column: { name: string; dataType: string; isNullable: boolean }): string => {
      const given = columns[column.name];
      if (given !== undefined) return given === "EMPTY" ? empty : withKeys(given);
      if (column.isNullable) return "null";
      if (/int/i.test(column.dataType)) return "0";
      return /blob|bytea/i.test(column.dataType) ? empty : "''";
    };
    const names = table.columns.map((column) => `"${column.name}"`).join(", ");
    const series = isSqlite
      ? `(with recursive s(n) as (select 1 union all select n + 1 from s limit ${rows}) select n from s) as s`
      : `generate_series(1, ${rows}) as s(n)`;
    return `insert into "${name}" (${names}) select ${table.columns.map(valueOf).join(", ")} from ${series} on conflict do nothing`.replace(
      isSqlite ? ") as s on conflict" : "\u0000",
      ") as s where true on conflict",
    );
  });
  return [...filled, ...KEPT_NUMBERS];
}

/** Counters that the product maintains. */
const KEPT_NUMBERS = [
  `insert into registry_contents (repository, org_id, tags, manifests, bytes)
    select repository, org_id, 0, count(*), sum(size) from registry_manifest group by repository, org_id`,
  `insert into file_name (org_id, filename, place, files)
    select org_id, filename, coalesce(project_id, ''), count(*) from file
    group by org_id, filename, coalesce(project_id, '')`,
  `insert into file_usage (org_id, place, files, bytes, grants, reserved, trashed_files, trashed_bytes)
    select org_id, place, sum(files), sum(bytes), 0, 0, sum(trashed_files), sum(trashed_bytes) from (
      select org_id, coalesce(project_id, '') as place, 1 as files, size as bytes, 0 as trashed_files, 0 as trashed_bytes from file
      union all
      select org_id, coalesce(project_id, ''), 0, 0, 1, size from trashed_file) as held
    group by org_id, place`,
];
