import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { OptionalProjectColumns, ProjectAccess, ProjectColumns, Reach } from "./access.ts";
import type { ProjectState } from "./state.ts";

/**
 * The one place that reads and writes projects (`npm run check tidy`). Every function takes the reader or the transaction of its caller.
 */

type Row = Tables["project"];
/** A project with its state. */
export type Project = Row & { readonly state: ProjectState };

/** The column that says since when a project is in a state; of several that are set the first counts. */
const SINCE = { archived: "archived_at" } as const satisfies Record<Exclude<ProjectState, "active">, keyof Row>;
type SinceColumn = (typeof SINCE)[keyof typeof SINCE];
const STATES = Object.entries(SINCE) as [keyof typeof SINCE, SinceColumn][];
const SINCE_COLUMNS = Object.values(SINCE);
/** The values of these columns for a deleted project: it is in no state. */
const NEVER = Object.fromEntries(SINCE_COLUMNS.map((column) => [column, null])) as Record<SinceColumn, null>;
const NEVER_COLUMNS = SINCE_COLUMNS.map((column) => sql<null>`null`.as(column));

function stateOf(row: Pick<Row, SinceColumn>): ProjectState {
  return STATES.find(([, column]) => row[column] !== null)?.[0] ?? "active";
}

/** The same in SQL, of the table `project`. */
function stateColumn(): RawBuilder<ProjectState> {
  const cases = STATES.map(
    ([state, column]) => sql`when ${sql.ref(`project.${column}`)} is not null then ${sql.lit(state)}`,
  );
  return sql<ProjectState>`case ${sql.join(cases, sql` `)} else 'active' end`;
}

/** Its members are always in this order, on which entity tags depend. */
function projectOf(row: Row): Project {
  const { id, org_id, slug, name, visibility, environment, created_at } = row;
  const since = Object.fromEntries(SINCE_COLUMNS.map((column) => [column, row[column]])) as Pick<Row, SinceColumn>;
  return { id, org_id, slug, name, visibility, environment, ...since, created_at, state: stateOf(row) };
}

/** A project that is not stored yet, and active. */
export function newProject(row: Omit<Row, SinceColumn>): Project {
  return projectOf({ ...row, ...NEVER });
}

/** By id, or by slug: no slug has the `_` of an id. */
export async function projectByName(db: Reader, orgId: string, idOrSlug: string): Promise<Project | undefined> {
  const row = await db
    .selectFrom("project")
    .selectAll()
    .where("org_id", "=", orgId)
    .where(idOrSlug.startsWith("proj_") ? "id" : "slug", "=", idOrSlug)
    .executeTakeFirst();
  return row && projectOf(row);
}

/** The oldest that the whole organization sees and in which everything is allowed. */
export async function oldestOpenProject(db: Reader, orgId: string): Promise<Project | undefined> {
  const row = await db
    .selectFrom("project")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("visibility", "=", "organization")
    .where((eb) => eb.and(SINCE_COLUMNS.map((column) => eb(column, "is", null))))
    .orderBy("id", "asc")
    .limit(1)
    .executeTakeFirst();
  return row && projectOf(row);
}

export interface ProjectFilter {
  environment?: string | undefined;
  /** Only archived ones, or only others. */
  archived?: boolean | undefined;
}

/** Those within reach, newest first. */
export async function listProjectRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { beforeId: string | undefined; limit: number } & ProjectFilter,
): Promise<Project[]> {
  const rows = await db
    .selectFrom("project")
    .selectAll()
    .where("org_id", "=", orgId)
    .where(withinProjects(reach, "project.id"))
    .$if(page.environment !== undefined, (query) => query.where("environment", "=", page.environment ?? ""))
    .$if(page.archived !== undefined, (query) =>
      query.where("archived_at", page.archived === true ? "is not" : "is", null),
    )
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
  return rows.map(projectOf);
}

/** Most organizations have fewer projects; these are read without asking a process for them. */
const PROJECTS_FEW = 200;

/** Every project that may have sent something, the deleted ones too. */
export async function everyProject(db: Reader, orgId: string): Promise<ProjectAccess[]> {
  const present = db
    .selectFrom("project")
    .select(["id", "visibility", ...SINCE_COLUMNS])
    .where("org_id", "=", orgId);
  const deleted = db.selectFrom("deleted_project").select(["id", "visibility"]).where("org_id", "=", orgId);
  // In this order: one that is deleted between the two is in both, and not in neither.
  const few = await present.limit(PROJECTS_FEW).execute();
  const gone = (await deleted.limit(PROJECTS_FEW).execute()).map((row) => ({ ...row, ...NEVER }));
  const isAll = few.length + gone.length < PROJECTS_FEW;
  const rows = isAll ? [...few, ...gone] : await present.unionAll(deleted.select(NEVER_COLUMNS)).execute();
  return rows.map(({ id, visibility, ...since }) => ({ id, visibility, state: stateOf(since) }));
}

/** Slugs by the ids of projects. */
export async function projectSlugs(
  db: Reader,
  orgId: string,
  ids: readonly string[],
): Promise<Pick<Project, "id" | "slug">[]> {
  return db
    .selectFrom("project")
    .select(["id", "slug"])
    .where("org_id", "=", orgId)
    .where("id", "in", [...ids])
    .execute();
}

export async function countProjects(db: Reader, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom("project")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Query<DB, TB extends keyof DB, O> = SelectQueryBuilder<DB, TB, O>;
type Joined<DB, TB extends keyof DB, O> = Query<DB & Pick<Tables, "project">, TB | "project", O>;

/** Joins the project of what a query selects. @param place the column with the project's id, such as `app.project_id` */
export function joinProject<DB, TB extends keyof DB, O>(query: Query<DB, TB, O>, place: string): Joined<DB, TB, O> {
  return anyJoin(query).innerJoin("project", "project.id", place) as unknown as Joined<DB, TB, O>;
}

/** The same, with the columns that the permission check needs. */
export function withProject<DB, TB extends keyof DB, O>(
  query: Query<DB, TB, O>,
  place: string,
): Joined<DB, TB, O & ProjectColumns> {
  return accessColumns(joinProject(query, place)) as unknown as Joined<DB, TB, O & ProjectColumns>;
}

/** The same for what need not be in a project. */
export function withOptionalProject<DB, TB extends keyof DB, O>(
  query: Query<DB, TB, O>,
  place: string,
): Joined<DB, TB, O & OptionalProjectColumns> {
  const joined = anyJoin(query).leftJoin("project", "project.id", place);
  return accessColumns(joined) as unknown as Joined<DB, TB, O & OptionalProjectColumns>;
}

interface AnyJoin {
  innerJoin(table: "project", id: string, place: string): AnyQuery;
  leftJoin(table: "project", id: string, place: string): AnyQuery;
}
interface AnyQuery {
  select(columns: readonly unknown[]): AnyQuery;
}

/** The builder's own types name every table of a query; here it may be any. */
function anyJoin(query: unknown): AnyJoin {
  return query as AnyJoin;
}

function accessColumns(query: unknown): AnyQuery {
  return (query as AnyQuery).select(["project.visibility", stateColumn().as("project_state")]);
}

/** Rows within reach, of a query that joins `project`; `place` holds the project's id, or null. */
export function withinReach(reach: Reach, place: string): RawBuilder<SqlBool> {
  const none = sql`${sql.ref(place)} is null`;
  return anyOf([...(reach.organization ? [none] : []), ...reachedProjects(reach, place)]);
}

/** The same where every row is in a project. */
export function withinProjects(reach: Reach, place: string): RawBuilder<SqlBool> {
  return anyOf(reachedProjects(reach, place));
}

function reachedProjects({ visibleProjects, projectIds, exceptStates }: Reach, place: string): RawBuilder<unknown>[] {
  const reached = [
    ...(visibleProjects ? [sql`${sql.ref("project.visibility")} = ${"organization"}`] : []),
    ...(projectIds.length > 0 ? [sql`${sql.ref(place)} in (${sql.join(projectIds)})`] : []),
  ];
  if (exceptStates.length === 0) return reached;
  const isAllowed = sql`${stateColumn()} not in (${sql.join(exceptStates.map((state) => sql.lit(state)))})`;
  return reached.map((condition) => sql`${condition} and ${isAllowed}`);
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** False when the slug is taken. */
export async function insertProject(tx: Writer, { state: _state, ...row }: Project): Promise<boolean> {
  const inserted = await tx
    .insertInto("project")
    .values(row)
    .onConflict((conflict) => conflict.columns(["org_id", "slug"]).doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

export async function setProject(tx: Writer, project: Project): Promise<void> {
  const { slug, name, visibility, environment } = project;
  await tx
    .updateTable("project")
    .set({ slug, name, visibility, environment })
    .where("org_id", "=", project.org_id)
    .where("id", "=", project.id)
    .execute();
}

/** The project in another state since then. */
export async function setProjectState(
  tx: Writer,
  project: Project,
  { state, atMs }: { readonly state: ProjectState; readonly atMs: number },
): Promise<Project> {
  const since = { ...NEVER, ...(state === "active" ? {} : { [SINCE[state]]: atMs }) };
  const { org_id, id } = project;
  await tx.updateTable("project").set(since).where("org_id", "=", org_id).where("id", "=", id).execute();
  return { ...project, ...since, state };
}

/** The project alone; what belongs to it is its callers' to delete first. */
export async function deleteProjectRow(tx: Writer, { id, org_id: orgId }: Pick<Row, "id" | "org_id">): Promise<void> {
  await tx.deleteFrom("project").where("org_id", "=", orgId).where("id", "=", id).execute();
}

/** Notes a project that goes, so that what it had sent stays as visible as it was. */
export async function rememberDeleted(tx: Writer, project: Project, atMs: number): Promise<void> {
  const { id, org_id, visibility } = project;
  await tx.insertInto("deleted_project").values({ id, org_id, visibility, deleted_at: atMs }).execute();
}
