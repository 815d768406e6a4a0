import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { nodeKeys, type NodeKeys } from "./ring-store.ts";

/** A node that was not seen for this time does not answer requests: it reads the changes before its next decision. */
const NODE_LIVE_MS = 5_000;
const LOOK_EVERY_MS = 100;

export interface NodesDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  /** How long to wait for nodes that are slow to report. */
  readonly waitMs: number;
}

/** Returns the live nodes that do not meet the condition. */
export async function nodesWithout(
  db: Reader,
  clock: Clock,
  isReady: (node: NodeKeys) => boolean,
): Promise<NodeKeys[]> {
  const nodes = await nodeKeys(db, clock.nowMs() - NODE_LIVE_MS);
  return nodes.filter((node) => !isReady(node));
}

/** Waits until every live node meets the condition. Returns those that do not in time. */
export async function awaitNodes(
  { metadata, clock, waitMs }: NodesDeps,
  isReady: (node: NodeKeys) => boolean,
): Promise<NodeKeys[]> {
  const endsAt = performance.now() + waitMs;
  let behind = await nodesWithout(metadata.read, clock, isReady);
  while (behind.length > 0 && performance.now() < endsAt) {
    await delay(LOOK_EVERY_MS);
    behind = await nodesWithout(metadata.read, clock, isReady);
  }
  return behind;
}

export function namesOf(nodes: readonly NodeKeys[]): string {
  return nodes.map((node) => node.id).join(", ");
}
