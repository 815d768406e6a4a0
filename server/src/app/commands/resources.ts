import type { ResourceKind } from "@mooring/contract";
import { textsOption, UsageError, type Option, type Parsed } from "./command.ts";

/** The resources to which a credential or an S3 key is limited, as the API takes them. */
export interface ResourceBody {
  readonly repositories?: string[];
  readonly buckets?: { name: string; prefix?: string }[];
  readonly webhooks?: string[];
  readonly services?: string[];
}

/** The option of each kind of resource. */
export const RESOURCE_OPTIONS: Readonly<Record<ResourceKind, Option>> = {
  repositories: {
    name: "repository",
    value: "APP",
    multiple: true,
    description: "reach only this repository, by the slug or id of its app; repeatable",
  },
  buckets: {
    name: "bucket",
    value: "NAME[/PREFIX]",
    multiple: true,
    description: "reach only this bucket, or only keys that begin with PREFIX; end it with / for a folder; repeatable",
  },
  webhooks: { name: "webhook", value: "WEBHOOK", multiple: true, description: "reach only this webhook; repeatable" },
  services: {
    name: "service",
    value: "SERVICE",
    multiple: true,
    description: "read and send only telemetry of this service; repeatable",
  },
};

/** Returns the resources that the options name. Undefined: none is named. @throws UsageError */
export function resourcesOf(parsed: Parsed): ResourceBody | undefined {
  const named = (kind: ResourceKind): string[] => [...textsOption(parsed, RESOURCE_OPTIONS[kind].name)];
  const lists = {
    repositories: named("repositories"),
    buckets: named("buckets").map(bucketOf),
    webhooks: named("webhooks"),
    services: named("services"),
  };
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Splits at the first slash, which no name of a bucket has. */
export function bucketOf(text: string): { name: string; prefix?: string } {
  const at = text.indexOf("/");
  if (at === 0)
    throw new UsageError(`--bucket ${JSON.stringify(text)}: write the name of the bucket before the prefix`);
  return at < 0 ? { name: text } : { name: text.slice(0, at), prefix: text.slice(at + 1) };
}

/** Returns the resources as words: `repository shop, bucket shop/in/`. */
export function resourcesText(resources: ResourceBody | null): string {
  if (resources === null) return "no limit";
  const { repositories = [], buckets = [], webhooks = [], services = [] } = resources;
  const words = [
    ...repositories.map((name) => `repository ${name}`),
    ...buckets.map(({ name, prefix = "" }) => `bucket ${name}${prefix === "" ? "" : `/${prefix}`}`),
    ...webhooks.map((id) => `webhook ${id}`),
    ...services.map((name) => `service ${name}`),
  ];
  return words.length === 0 ? "nothing" : words.join(", ");
}
