import type { ORGANIZATION_ROUTES, ResultOf, Scope } from "@mooring/contract";
import { RESOURCE_KINDS, resourceKindOf, type ResourceKind } from "@mooring/contract/resources.ts";

/** The resources to which a credential or S3 key is limited. */
export type Resources = NonNullable<ResultOf<typeof ORGANIZATION_ROUTES.getCredential>["resources"]>;

/** The text in the field of each kind: one resource a line. */
export type ResourceTexts = Readonly<Record<ResourceKind, string>>;

export const NO_TEXTS: ResourceTexts = { repositories: "", buckets: "", webhooks: "", services: "" };

/** Returns the kinds of resources on which the scopes act. */
export function kindsOf(scopes: readonly Scope[]): readonly ResourceKind[] {
  return RESOURCE_KINDS.filter((kind) => scopes.some((scope) => resourceKindOf(scope) === kind));
}

export function textsOf(resources: Resources | null): ResourceTexts {
  const { repositories = [], buckets = [], webhooks = [], services = [] } = resources ?? {};
  return {
    repositories: repositories.join("\n"),
    buckets: buckets.map(bucketText).join("\n"),
    webhooks: webhooks.join("\n"),
    services: services.join("\n"),
  };
}

/** Returns the resources in the fields of these kinds, for the API. */
export function resourcesIn(texts: ResourceTexts, kinds: readonly ResourceKind[]): Resources {
  const entries = kinds.map((kind) => [kind, entriesIn(kind, texts[kind])] as const);
  return Object.fromEntries(
    entries
      .filter(([, lines]) => lines.length > 0)
      .map(([kind, lines]) => [kind, kind === "buckets" ? lines.map(bucketOf) : lines]),
  );
}

/** Returns the kinds for which no resource is named. */
export function missingKinds(texts: ResourceTexts, kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  return kinds.filter((kind) => entriesIn(kind, texts[kind]).length === 0);
}

/** Spaces can belong to the name of a service and to the prefix of a bucket, but not to other names. */
function entriesIn(kind: ResourceKind, text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isExact = kind === "buckets" || kind === "services";
  return [...new Set(isExact ? lines : lines.map((line) => line.trim()))];
}

function bucketText({ name, prefix = "" }: { name: string; prefix?: string }): string {
  return prefix === "" ? name : `${name}/${prefix}`;
}

function bucketOf(line: string): { name: string; prefix?: string } {
  const at = line.indexOf("/");
  return at < 0 ? { name: line.trim() } : { name: line.slice(0, at).trim(), prefix: line.slice(at + 1) };
}

/** Returns each resource in words: `Repository shop`, `Bucket shop/in/`. */
export function resourceWords(resources: Resources): readonly (readonly [kind: string, name: string])[] {
  const { repositories = [], buckets = [], webhooks = [], services = [] } = resources;
  return [
    ...repositories.map((name) => ["Repository", name] as const),
    ...buckets.map((bucket) => ["Bucket", bucketText(bucket)] as const),
    ...webhooks.map((id) => ["Webhook", id] as const),
    ...services.map((name) => ["Service", name] as const),
  ];
}

/** Whether the resources are the same, in any order. */
export function isSameResources(one: Resources | null, other: Resources | null): boolean {
  return normal(one) === normal(other);
}

function normal(resources: Resources | null): string {
  if (resources === null) return "null";
  return JSON.stringify(resourceWords(resources).map(String).toSorted());
}
