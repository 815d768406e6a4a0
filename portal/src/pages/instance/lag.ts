export interface NodeState {
  readonly kind: "go" | "warn" | "stop" | "none";
  readonly text: string;
}

/** Every node reports every two seconds. A stopped node stays in the list for a day. */
const SILENT_MS = 10_000;
const FEW = 3;

/** Returns how far a node is behind with changes of access, which are revocations and role changes. */
export function nodeState(
  node: { readonly applied_change: number; readonly seen_at: string },
  latest: number,
  now: Date,
): NodeState {
  const silentMs = now.getTime() - Date.parse(node.seen_at);
  if (silentMs > SILENT_MS) return { kind: "none", text: "stopped or disconnected" };
  const behind = Math.max(0, latest - node.applied_change);
  if (behind === 0) return { kind: "go", text: "up to date" };
  const text = `${behind} ${behind === 1 ? "change" : "changes"} behind`;
  return { kind: behind > FEW ? "stop" : "warn", text };
}

/** Compares the free share and the free bytes, since a tenth of a large disk is much space. */
export function diskKind(freeBytes: number, totalBytes: number): "go" | "warn" | "stop" {
  const GIB = 1024 ** 3;
  const share = totalBytes === 0 ? 0 : freeBytes / totalBytes;
  if (share < 0.03 || freeBytes < GIB) return "stop";
  return share < 0.1 && freeBytes < 50 * GIB ? "warn" : "go";
}

export function shareText(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`;
}
