import type { Scope } from "@mooring/contract";
import type { Topic } from "../../app/topic.ts";

const TOPICS: readonly (readonly [prefix: string, topic: Topic])[] = [
  ["telemetry:write", "telemetry"],
  ["registry:", "registry"],
  ["files:", "files"],
  ["telemetry:read", "query"],
  ["webhooks:", "webhooks"],
];

/** Returns the most likely topic of a credential. */
export function topicOf(scopes: readonly Scope[]): Topic {
  return TOPICS.find(([prefix]) => scopes.some((scope) => scope.startsWith(prefix)))?.[1] ?? "token";
}
