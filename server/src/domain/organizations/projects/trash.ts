import { appendAudit } from "#domain/audit/index.ts";
import { revokeCredentialsOfProject } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import {
  holderOfSlug,
  refuseIfLocked,
  rememberDeleted,
  trashedProject,
  untrashProject,
} from "#domain/projects/index.ts";
import { auditOf, dropItemsOfProject, setDetail, type TrashKindRules, type TrashRow } from "#domain/trash/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { deleteErasedApp, eraseApp, requireSlugFree, type AppTrashDeps } from "../apps/trash.ts";
import { everyAppOf, isKeeper, slugInTheWay, takeSlugsAgain } from "../apps/trash/store.ts";
import { auditOrigin, SYSTEM } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { deleteProjectRows, webhooksOf } from "./store.ts";

type Stored = { readonly id: string; readonly orgId: string };

/** The parts of a project that other domains delete. Each works in steps, which can be repeated. */
export interface ProjectTrashDeps extends AppTrashDeps {
  readonly eraseWebhook: (webhook: Stored, signal: AbortSignal) => Promise<void>;
  /** Deletes the files of a project, and those in its trash. Returns their number. */
  readonly eraseFiles: (project: Stored, signal: AbortSignal) => Promise<number>;
  /** Starts the erasure of a project's telemetry. Returns its id. */
  readonly eraseTelemetry: (tx: Writer, project: Stored) => Promise<string>;
  /** Returns the number of erased rows. "running": the erasure is not complete. "failed": it must be repeated. */
  readonly telemetryErased: (orgId: string, erasureId: string) => Promise<number | "running" | "failed">;
  /** Forwards the events of a webhook again. */
  readonly forwardAgain: (tx: Writer, webhookId: string) => Promise<void>;
  /** Applies a change of permissions on this node. */
  readonly settled: () => Promise<void>;
}

/** The counts of a project's end, which are stored with its item, so that they survive a stop of the server. */
interface Progress {
  readonly erasure?: string;
  readonly credentials?: number;
  readonly webhooks?: number;
  readonly apps?: number;
  readonly files?: number;
}

/**
 * Projects in the trash. Everything in the project keeps its rows: it is absent, because its project is. So a restore
 * brings back what went with the project, and the credentials work as before.
 */
export function projectTrash(deps: ProjectTrashDeps): TrashKindRules {
  return {
    lock: "organization",
    restore: (tx, item, { slug = item.name }) => restore(deps, tx, item, slug),
    restored: () => deps.settled(),
    beforePurge: async (tx, { object_id: id, org_id: orgId }) => {
      const project = await trashedProject(tx, orgId, id);
      if (project !== undefined) refuseIfLocked(project);
    },
    end: (item, signal) => new End(deps, item, signal).run(),
  };
}

async function restore(deps: ProjectTrashDeps, tx: Writer, item: TrashRow, slug: string): Promise<void> {
  const { object_id: id, org_id: orgId } = item;
  await enforceRecordLimit(deps.metadata, tx, "projects_max", orgId);
  requireSlugFree(slug, await holderOfSlug(tx, orgId, slug));
  await restoreSlugs(tx, { orgId, projectId: id });
  await untrashProject(tx, { id, org_id: orgId }, slug);
  for (const app of await everyAppOf(tx, orgId, id))
    if (app.trashed_at === null) await deps.resume(tx, { id: app.id, orgId });
  for (const webhook of await webhooksOf(tx, orgId, id))
    if (webhook.deleted_at === null) await deps.forwardAgain(tx, webhook.id);
  await announceAccessChange(deps, tx, orgId);
}

/** @throws Problem `conflict` if a slug of an app was given to a new app */
async function restoreSlugs(
  tx: Writer,
  project: { readonly orgId: string; readonly projectId: string },
): Promise<void> {
  const taken = await slugInTheWay(tx, project);
  if (taken !== undefined)
    throw new Problem(
      "conflict",
      `The project has an app with the slug ${taken}, which was given to a new app after the deletion. Delete the new app first.`,
    );
  await takeSlugsAgain(tx, project);
}

/** The end of a project's time in the trash. Every step can be repeated, so a killed server continues where it was. */
class End {
  readonly #deps: ProjectTrashDeps;
  readonly #item: TrashRow;
  readonly #signal: AbortSignal;
  readonly #project: Stored;
  #progress: Progress;

  constructor(deps: ProjectTrashDeps, item: TrashRow, signal: AbortSignal) {
    this.#deps = deps;
    this.#item = item;
    this.#signal = signal;
    this.#project = { id: item.object_id, orgId: item.org_id };
    this.#progress = JSON.parse(item.detail) as Progress;
  }

  async run(): Promise<boolean> {
    const { erasure } = await this.#begin();
    await this.#webhooks();
    if (!(await this.#apps())) return false;
    await this.#files();
    const rows = await this.#deps.telemetryErased(this.#project.orgId, erasure);
    if (rows === "running") return false;
    if (rows === "failed") return this.#eraseAgain();
    await this.#finish(rows);
    return true;
  }

  async #eraseAgain(): Promise<never> {
    await this.#deps.metadata.write(async (tx) => {
      await this.#save(tx, { erasure: await this.#deps.eraseTelemetry(tx, this.#project) });
    });
    throw new Error("cannot erase the telemetry of a deleted project; the reason is in its erasure");
  }

  /** Ends the credentials, and starts the erasure of telemetry. */
  async #begin(): Promise<{ readonly erasure: string }> {
    const { erasure } = this.#progress;
    if (erasure !== undefined) return { erasure };
    const { id: projectId, orgId } = this.#project;
    return changeOrganization(this.#deps, orgId, async (tx) => {
      const revoked = await revokeCredentialsOfProject(this.#deps, tx, { orgId, projectId });
      await announceAccessChange(this.#deps, tx, orgId);
      const begun = await this.#deps.eraseTelemetry(tx, this.#project);
      await this.#save(tx, { erasure: begun, credentials: revoked.length });
      return { erasure: begun };
    });
  }

  async #webhooks(): Promise<void> {
    for (const { id } of await webhooksOf(this.#deps.metadata.read, this.#project.orgId, this.#project.id)) {
      await this.#deps.eraseWebhook({ id, orgId: this.#project.orgId }, this.#signal);
      await this.#count("webhooks", 1);
    }
  }

  /** Returns false if locked objects stay. The hidden apps of deleted images end with the items of their apps. */
  async #apps(): Promise<boolean> {
    const { id: projectId, orgId } = this.#project;
    const apps = await everyAppOf(this.#deps.metadata.read, orgId, projectId);
    let isAll = true;
    for (const { id } of apps.filter((app) => !isKeeper(app))) {
      this.#signal.throwIfAborted();
      if (await eraseApp(this.#deps, { id, orgId }, this.#signal)) await this.#deleteApp(id);
      else isAll = false;
    }
    return isAll;
  }

  async #deleteApp(id: string): Promise<void> {
    await changeOrganization(this.#deps, this.#project.orgId, async (tx) => {
      await deleteErasedApp(this.#deps, tx, { id, orgId: this.#project.orgId });
      await this.#save(tx, { apps: (this.#progress.apps ?? 0) + 1 });
    });
  }

  async #files(): Promise<void> {
    const files = await this.#deps.eraseFiles(this.#project, this.#signal);
    if (files > 0) await this.#count("files", files);
  }

  async #count(what: "webhooks" | "files", more: number): Promise<void> {
    await this.#deps.metadata.write((tx) => this.#save(tx, { [what]: (this.#progress[what] ?? 0) + more }));
  }

  async #save(tx: Writer, change: Progress): Promise<void> {
    this.#progress = { ...this.#progress, ...change };
    await setDetail(tx, this.#item.id, this.#progress);
  }

  async #finish(rows: number): Promise<void> {
    const { id, orgId } = this.#project;
    await changeOrganization(this.#deps, orgId, async (tx) => {
      const project = await trashedProject(tx, orgId, id);
      if (project === undefined) return; // another run has finished it
      for (const lock of ["saved_query", "file", "webhook"]) await this.#deps.metadata.lock(tx, `${lock}:${orgId}`);
      await dropItemsOfProject(tx, orgId, id);
      // Rows that arrive late, if any, stay hidden from everybody.
      await rememberDeleted(tx, { ...project, visibility: "private" }, this.#deps.clock.nowMs());
      await deleteProjectRows(tx, orgId, id);
      await announceAccessChange(this.#deps, tx, orgId);
      const { credentials = 0, webhooks = 0, apps = 0, files = 0, erasure } = this.#progress;
      const counts = { credentials, webhooks, apps, files, telemetry_rows: rows, telemetry_erasure: erasure };
      await appendAudit(this.#deps, tx, auditOf(auditOrigin(SYSTEM), "end", this.#item, counts));
    });
  }
}
