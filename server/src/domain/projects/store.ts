import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { OptionalProjectColumns, ProjectAccess, ProjectColumns, Reach } from "./access.ts";
import { refuseIfLocked, type ProjectState } from "./state.ts";

/**
 * The one place that reads and writes projects (`npm run check tidy`). Every function takes the reader or the
 * transaction of its caller.
 */

type Row = Tables["project"];
/** A project with its state. */
export type Project = Omit<Row, "state"> & { readonly state: ProjectState };

/** The column is text, because the records do not know the contract. Only states of the contract are written. */
function projectOf(row: Row): Project {
  return row as Project;
}

/** A project that is not stored yet, and active. */
export function newProject(
  row: Omit<Row, "state" | "state_since" | "trashed_at" | "former_slug" | "deletion_lock">,
): Project {
  return { ...row, state: "active", state_since: null, trashed_at: null, former_slug: null, deletion_lock: 0 };
}

/**
 * Returns the fields that the entity tag of a project covers. Tags must stay valid after an update of the server, so
 * these names and their order are fixed. `archived_at` dates from a time when it was the only state.
 */
export function projectVersion(project: Project): object {
  const { id, org_id, slug, name, visibility, environment, created_at, state, state_since } = project;
  const lock = project.deletion_lock === 1 ? { deletion_lock: true } : {};
  return { id, org_id, slug, name, visibility, environment, archived_at: state_since, created_at, state, ...lock };
}

/** The state of a joined project, in SQL. A row without a project counts as active. */
function stateColumn(): RawBuilder<ProjectState> {
  return sql<ProjectState>`coalesce(${sql.ref("project.state")}, 'active')`;
}

/** Projects, without those in the trash. Every read begins here or with a join, so that none forgets the trash. */
function present(db: Reader) {
  return db.selectFrom("project").where("trashed_at", "is", null);
}

/** Finds a project by id or slug. The two differ: an id has a `_`, a slug has none. */
export async function projectByName(db: Reader, orgId: string, idOrSlug: string): Promise<Project | undefined> {
  const row = await present(db)
    .selectAll()
    .where("org_id", "=", orgId)
    .where(idOrSlug.startsWith("proj_") ? "id" : "slug", "=", idOrSlug)
    .executeTakeFirst();
  return row && projectOf(row);
}

/** Finds the projects with these slugs or ids. */
export async function projectsByNames(
  db: Reader,
  orgId: string,
  names: readonly string[],
): Promise<(ProjectAccess & Pick<Row, "slug">)[]> {
  const rows: (ProjectAccess & Pick<Row, "slug">)[] = [];
  for (const column of ["id", "slug"] as const) {
    const wanted = names.filter((name) => name.startsWith("proj_") === (column === "id"));
    if (wanted.length === 0) continue;
    const query = present(db).select(["id", "slug", "visibility", "state"]).where("org_id", "=", orgId);
    rows.push(...((await query.where(column, "in", wanted).execute()) as typeof rows));
  }
  return rows;
}

/**
 * Checks that a row's project allows deletions of it and of its content.
 * @throws Problem `conflict` if it has a deletion lock
 */
export async function requireNoDeletionLock(
  db: Reader,
  { org_id: orgId, project_id: id }: { readonly org_id: string; readonly project_id: string },
): Promise<void> {
  const query = db.selectFrom("project").select(["deletion_lock", "slug"]).where("org_id", "=", orgId);
  const project = await query.where("id", "=", id).executeTakeFirst();
  if (project !== undefined) refuseIfLocked(project);
}

/** Returns the id of the project that has the slug. */
export async function holderOfSlug(db: Reader, orgId: string, slug: string): Promise<string | undefined> {
  const query = db.selectFrom("project").select("id").where("org_id", "=", orgId).where("slug", "=", slug);
  return (await query.executeTakeFirst())?.id;
}

/** Finds a project in the trash. */
export async function trashedProject(db: Reader, orgId: string, id: string): Promise<Project | undefined> {
  const row = await db
    .selectFrom("project")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("trashed_at", "is not", null)
    .executeTakeFirst();
  return row && projectOf(row);
}

type Key = Pick<Row, "id" | "org_id">;

/** Puts a project into the trash. Everything in it is absent meanwhile, and its slug is free. */
export async function trashProject(
  tx: Writer,
  { id, org_id, slug }: Key & { slug: string },
  atMs: number,
): Promise<void> {
  await setTrash(tx, { id, org_id }, { trashed_at: atMs, slug: hiddenSlug(id), former_slug: slug });
}

/** Takes a project out of the trash, with a slug that is free. */
export async function untrashProject(tx: Writer, project: Key, slug: string): Promise<void> {
  await setTrash(tx, project, { trashed_at: null, slug, former_slug: null });
}

async function setTrash(
  tx: Writer,
  { id, org_id: orgId }: Key,
  set: Pick<Row, "trashed_at" | "slug" | "former_slug">,
): Promise<void> {
  await tx.updateTable("project").set(set).where("org_id", "=", orgId).where("id", "=", id).execute();
}

/** The slug of an object in the trash. Nobody can choose it. */
export function hiddenSlug(id: string): string {
  return `~${id}`;
}

/** Finds the oldest active project that all members of the organization see. */
export async function oldestOpenProject(db: Reader, orgId: string): Promise<Project | undefined> {
  const row = await present(db)
    .selectAll()
    .where("org_id", "=", orgId)
    .where("visibility", "=", "organization")
    .where("state", "=", "active")
    .orderBy("id", "asc")
    .limit(1)
    .executeTakeFirst();
  return row && projectOf(row);
}

export interface ProjectFilter {
  environment?: string | undefined;
  /** True: only archived ones. False: only others. */
  archived?: boolean | undefined;
}

/** Lists the projects within reach, newest first. */
export async function listProjectRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { beforeId: string | undefined; limit: number } & ProjectFilter,
): Promise<Project[]> {
  const rows = await present(db)
    .selectAll()
    .where("org_id", "=", orgId)
    .where(withinProjects(reach, "project.id"))
    .$if(page.environment !== undefined, (query) => query.where("environment", "=", page.environment ?? ""))
    .$if(page.archived !== undefined, (query) =>
      // Not a parameter: SQLite uses a partial index only for a literal.
      query.where("state", page.archived === true ? "=" : "<>", sql.lit("archived")),
    )
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
  return rows.map(projectOf);
}

/** A read of at most this many rows runs in this process. Most organizations have fewer projects. */
const PROJECTS_FEW = 200;

/**
 * Reads all projects of the organization, with those in the trash and the deleted ones, because their telemetry may
 * still exist.
 */
export async function everyProject(db: Reader, orgId: string): Promise<ProjectAccess[]> {
  const kept = db.selectFrom("project").select(["id", "visibility", "state", "trashed_at"]).where("org_id", "=", orgId);
  const deleted = db
    .selectFrom("deleted_project")
    .select(["id", "visibility", sql.lit("active").as("state"), sql<number | null>`null`.as("trashed_at")])
    .where("org_id", "=", orgId);
  // In this order, both results contain a project that is deleted between the two reads. In the other order, neither
  // might.
  const few = await kept.limit(PROJECTS_FEW).execute();
  const gone = await deleted.limit(PROJECTS_FEW).execute();
  const isAll = few.length + gone.length < PROJECTS_FEW;
  const rows = isAll ? [...few, ...gone] : await kept.unionAll(deleted).execute();
  return rows.map(({ trashed_at: at, ...row }) => ({ ...row, trashed: at !== null })) as ProjectAccess[];
}

/** Returns slugs by the ids of projects. A project in the trash has its former one. */
export async function projectSlugs(
  db: Reader,
  orgId: string,
  ids: readonly string[],
): Promise<Pick<Project, "id" | "slug">[]> {
  return db
    .selectFrom("project")
    .select((eb) => ["id", eb.fn.coalesce("former_slug", "slug").as("slug")])
    .where("org_id", "=", orgId)
    .where("id", "in", [...ids])
    .execute();
}

export async function countProjects(db: Reader, orgId: string): Promise<number> {
  const { count } = await present(db)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Query<DB, TB extends keyof DB, O> = SelectQueryBuilder<DB, TB, O>;
type Joined<DB, TB extends keyof DB, O> = Query<DB & Pick<Tables, "project">, TB | "project", O>;

/**
 * Joins the project of the selected rows. Rows of a project in the trash are left out.
 * @param place the column with the project's id, such as `app.project_id`
 */
export function joinProject<DB, TB extends keyof DB, O>(query: Query<DB, TB, O>, place: string): Joined<DB, TB, O> {
  return anyJoin(query).innerJoin("project", presentAt(place)) as unknown as Joined<DB, TB, O>;
}

function presentAt(place: string) {
  return (join: AnyOn): AnyOn => join.onRef("project.id", "=", place).on("project.trashed_at", "is", null);
}

/** Like `withProject`, but also for rows of projects in the trash. Only the list of the trash may show these. */
export function withAnyProject<DB, TB extends keyof DB, O>(
  query: Query<DB, TB, O>,
  place: string,
): Joined<DB, TB, O & ProjectColumns> {
  const joined = anyJoin(query).innerJoin("project", (join) => join.onRef("project.id", "=", place));
  return accessColumns(joined) as unknown as Joined<DB, TB, O & ProjectColumns>;
}

/** Joins the project, and selects the columns for the permission check. */
export function withProject<DB, TB extends keyof DB, O>(
  query: Query<DB, TB, O>,
  place: string,
): Joined<DB, TB, O & ProjectColumns> {
  return accessColumns(joinProject(query, place)) as unknown as Joined<DB, TB, O & ProjectColumns>;
}

/** Like `withProject`, for rows that may have no project. A project in the trash looks like a deleted one. */
export function withOptionalProject<DB, TB extends keyof DB, O>(
  query: Query<DB, TB, O>,
  place: string,
): Joined<DB, TB, O & OptionalProjectColumns> {
  const joined = anyJoin(query).leftJoin("project", presentAt(place));
  return accessColumns(joined) as unknown as Joined<DB, TB, O & OptionalProjectColumns>;
}

interface AnyJoin {
  innerJoin(table: "project", on: (join: AnyOn) => AnyOn): AnyQuery;
  leftJoin(table: "project", on: (join: AnyOn) => AnyOn): AnyQuery;
}
interface AnyOn {
  onRef(column: string, operator: "=", other: string): AnyOn;
  on(column: string, operator: "is", value: null): AnyOn;
}
interface AnyQuery {
  select(columns: readonly unknown[]): AnyQuery;
}

/** The query builder's types name every table of a query. This function accepts any query, so it casts. */
function anyJoin(query: unknown): AnyJoin {
  return query as AnyJoin;
}

function accessColumns(query: unknown): AnyQuery {
  return (query as AnyQuery).select(["project.visibility", stateColumn().as("project_state")]);
}

/**
 * The condition for rows within reach, in a query that joins `project`.
 * @param place the column with the project's id, or null
 * @param item the column with the id to which credentials can be limited. Without it, a limited one reaches no row
 */
export function withinReach(reach: Reach, place: string, item?: string): RawBuilder<SqlBool> {
  const none = sql`${sql.ref(place)} is null`;
  return withinItems(reach, anyOf([...(reach.organization ? [none] : []), ...reachedProjects(reach, place)]), item);
}

/** Like `withinReach`, for rows that all have a project. */
export function withinProjects(reach: Reach, place: string, item?: string): RawBuilder<SqlBool> {
  return withinItems(reach, anyOf(reachedProjects(reach, place)), item);
}

function withinItems({ ids }: Reach, condition: RawBuilder<SqlBool>, item?: string): RawBuilder<SqlBool> {
  if (ids === undefined) return condition;
  if (item === undefined || ids.length === 0) return sql<SqlBool>`false`;
  return sql<SqlBool>`(${condition} and ${sql.ref(item)} in (${sql.join(ids)}))`;
}

function reachedProjects(
  { visibleProjects, privateProjects, projectIds, exceptStates }: Reach,
  place: string,
): RawBuilder<unknown>[] {
  const reached = [
    ...(privateProjects === true ? [sql`${sql.ref("project.visibility")} = ${"private"}`] : []),
    ...(visibleProjects ? [sql`${sql.ref("project.visibility")} = ${"organization"}`] : []),
    // A person keeps the roles in a project in the trash, whose rows a left join does not join.
    ...(projectIds.length > 0
      ? [sql`${sql.ref(place)} in (${sql.join(projectIds)}) and ${sql.ref("project.id")} is not null`]
      : []),
  ];
  if (exceptStates.length === 0) return reached;
  const isAllowed = sql`${stateColumn()} not in (${sql.join(exceptStates.map((state) => sql.lit(state)))})`;
  return reached.map((condition) => sql`${condition} and ${isAllowed}`);
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** Inserts the project. Returns false when the slug is taken. */
export async function insertProject(tx: Writer, row: Project): Promise<boolean> {
  const inserted = await tx
    .insertInto("project")
    .values(row)
    .onConflict((conflict) => conflict.columns(["org_id", "slug"]).doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

export async function setProject(tx: Writer, project: Project): Promise<void> {
  const { slug, name, visibility, environment, deletion_lock } = project;
  await tx
    .updateTable("project")
    .set({ slug, name, visibility, environment, deletion_lock })
    .where("org_id", "=", project.org_id)
    .where("id", "=", project.id)
    .execute();
}

/** Sets the state of the project from `atMs` on. */
export async function setProjectState(
  tx: Writer,
  project: Project,
  { state, atMs }: { readonly state: ProjectState; readonly atMs: number },
): Promise<Project> {
  const after = { state, state_since: state === "active" ? null : atMs };
  const { org_id, id } = project;
  await tx.updateTable("project").set(after).where("org_id", "=", org_id).where("id", "=", id).execute();
  return { ...project, ...after };
}

/** Deletes only the project's row. The caller first deletes everything that belongs to the project. */
export async function deleteProjectRow(tx: Writer, { id, org_id: orgId }: Pick<Row, "id" | "org_id">): Promise<void> {
  await tx.deleteFrom("project").where("org_id", "=", orgId).where("id", "=", id).execute();
}

/** Stores the visibility of a project before it is deleted: its telemetry stays as visible as before. */
export async function rememberDeleted(tx: Writer, project: Project, atMs: number): Promise<void> {
  const { id, org_id, visibility } = project;
  await tx.insertInto("deleted_project").values({ id, org_id, visibility, deleted_at: atMs }).execute();
}
