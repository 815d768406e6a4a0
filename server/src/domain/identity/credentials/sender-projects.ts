import { SLUG_PATTERN } from "@mooring/contract";
import { absent, requireSeen, type Principal } from "#domain/identity/access/index.ts";
import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import { projectsByNames, type ProjectAccess } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import { Problem, type ProblemOptions } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** The result for a name: the id of the project, or why the sender may not write to it. Plain data, which a thread can send. */
type NamedProject = { readonly id: string } | { readonly refused: string };
export type NamedProjects = Readonly<Record<string, NamedProject>>;

/** About 200 bytes each. */
const NAMES_MAX = 20_000;
/** An encoder gets at most this many results before it reads a body. For more, reading the body twice is cheaper. */
const RESULTS_MAX = 500;
const SLUG = new RegExp(SLUG_PATTERN);
/** Names of this many organizations are kept: those that were read last. */
const KNOWN_MAX = 1_000;

interface Known {
  readonly byName: Map<string, ProjectAccess>;
}

/**
 * The projects that senders of telemetry name, by slug or id. In memory, until the organization changes. A caller must first
 * authenticate the principal, which makes sure that the feed is fresh.
 */
export class SenderProjects {
  readonly #metadata: Pick<MetadataStore, "read">;
  readonly #known = new Map<string, Known>();
  #names = 0;

  constructor(metadata: Pick<MetadataStore, "read">, feed: Pick<ChangeFeed, "subscribe">) {
    this.#metadata = metadata;
    feed.subscribe({
      apply: (changes) => {
        for (const { kind, subject } of changes) if (kind === "organization") this.#forget(subject);
      },
      reset: () => {
        this.#known.clear();
        this.#names = 0;
      },
    });
  }

  /**
   * Returns the id of the project with this slug or id. Each row is checked against the services of a limited credential, so
   * the limits do not count here.
   * @throws Problem `not_found` (absent and hidden alike), `project_archived` and those of other states, `unavailable`
   */
  async find(principal: Principal, name: string): Promise<string> {
    const project = (await this.#find(principal, [name])).get(name);
    if (project === undefined) throw noSuchProject();
    return idFor(principal, project);
  }

  /** Returns the results for the names that are in memory, if they are few. */
  known(principal: Principal): NamedProjects {
    const { byName } = this.#known.get(principal.orgId) ?? { byName: new Map() };
    return byName.size > RESULTS_MAX ? {} : resultsOf(principal, byName);
  }

  /** Returns the results for these names. @throws Problem `unavailable` */
  async resolve(principal: Principal, names: readonly string[]): Promise<NamedProjects> {
    const results = resultsOf(principal, await this.#find(principal, names));
    const refused = noSuchProject().message;
    return { ...Object.fromEntries(names.map((name) => [name, { refused }])), ...results };
  }

  /** Finds projects in memory, and the others in the database. */
  async #find({ orgId }: Principal, names: readonly string[]): Promise<ReadonlyMap<string, ProjectAccess>> {
    const found = new Map<string, ProjectAccess>();
    const wanted = new Set(names.filter((name) => SLUG.test(name) || isId("proj", name)));
    for (const name of wanted) {
      const project = this.#known.get(orgId)?.byName.get(name);
      if (project !== undefined && wanted.delete(name)) found.set(name, project);
    }
    if (wanted.size === 0) return found;
    const known = this.#knownOf(orgId);
    const rows = await projectsByNames(this.#metadata.read, orgId, [...wanted]).catch(unreachable);
    for (const { slug, ...project } of rows)
      for (const name of [slug, project.id]) if (wanted.has(name)) found.set(name, project);
    // A change since then has removed `known` from the map, so outdated results are not kept.
    if (this.#known.get(orgId) === known) this.#keep(known, found);
    return found;
  }

  #knownOf(orgId: string): Known {
    const known = this.#known.get(orgId) ?? { byName: new Map() };
    this.#known.delete(orgId);
    this.#known.set(orgId, known);
    return known;
  }

  #keep({ byName }: Known, found: ReadonlyMap<string, ProjectAccess>): void {
    this.#names -= byName.size;
    for (const [name, project] of found) byName.set(name, project);
    this.#names += byName.size;
    for (const orgId of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX && this.#names <= NAMES_MAX) return;
      this.#forget(orgId);
    }
  }

  #forget(orgId: string): void {
    this.#names -= this.#known.get(orgId)?.byName.size ?? 0;
    this.#known.delete(orgId);
  }
}

/** @throws Problem */
function idFor(principal: Principal, project: ProjectAccess): string {
  try {
    requireSeen({ ...principal, limits: undefined }, "telemetry:write", { orgId: principal.orgId, project });
  } catch (error) {
    throw error instanceof Problem && error.code === absent().code ? noSuchProject(error.options) : error;
  }
  return project.id;
}

function resultsOf(principal: Principal, projects: ReadonlyMap<string, ProjectAccess>): NamedProjects {
  return Object.fromEntries([...projects].map(([name, project]) => [name, resultOf(principal, project)]));
}

function resultOf(principal: Principal, project: ProjectAccess): NamedProject {
  try {
    return { id: idFor(principal, project) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { refused: error.message };
  }
}

/** The same problem for absent and hidden projects, and for those to which the credential does not belong. */
function noSuchProject({ facts }: Pick<ProblemOptions, "facts"> = {}): Problem {
  const detail = "The named project does not exist, or the sender may not write to it.";
  return new Problem("not_found", detail, facts && { facts });
}

function unreachable(cause: unknown): never {
  throw new Problem("unavailable", "This node can't find the project now. Send the request again.", { cause });
}
