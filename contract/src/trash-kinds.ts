import type { Scope } from "./scopes.ts";

/** What the trash keeps, except files, which have their own list. */
export const TRASH_KINDS = ["webhook", "image", "repository", "app", "project"] as const;

export type TrashKind = (typeof TRASH_KINDS)[number];

/** Who may see, restore and finally delete a kind, and its words in the audit log. */
export interface TrashRule {
  readonly read: Scope;
  readonly restore: Scope;
  readonly purge: Scope;
  /** Begins the actions of the audit log: `webhook.restore`. */
  readonly noun: string;
  /** The kind of the target in the audit log, which is also the table of the object. */
  readonly target: "webhook" | "app" | "project";
}

/** Restoring creates the object again, and purging deletes it, so they need the same permissions as these acts. */
export const TRASH_RULES: Readonly<Record<TrashKind, TrashRule>> = {
  webhook: rule("webhook", "webhook", ["webhooks:read", "webhooks:write", "webhooks:write"]),
  image: rule("image", "app", ["registry:pull", "registry:push", "registry:delete"]),
  repository: rule("repository", "app", ["registry:pull", "registry:push", "registry:delete"]),
  app: rule("app", "app", ["apps:read", "apps:write", "apps:write"]),
  project: rule("project", "project", ["projects:read", "projects:write", "projects:write"]),
};

function rule(
  noun: string,
  target: TrashRule["target"],
  [read, restore, purge]: readonly [Scope, Scope, Scope],
): TrashRule {
  return { read, restore, purge, noun, target };
}
