import { randomBytes } from "node:crypto";
import type { Writer } from "#stores/metadata/index.ts";
import { S3Error } from "../../errors.ts";
import { emitAll, type ObjectEvent } from "../../events/emit.ts";
import { NULL_VERSION, type Bucket, type Deleted, type DeleteObject, type S3Caller } from "../../types/index.ts";
import { requireConditions } from "../conditions.ts";
import { detailOf, ownerColumn } from "../detail.ts";
import { requireUnlocked } from "../lock.ts";
import { requireKey, writerOf } from "../put.ts";
import { requireDeletable, type WriteDeps } from "../version.ts";
import { DeletionPlan } from "./plan.ts";
import { keysOf, statesOf, versionsNamed, type Keys, type KeyState } from "./state.ts";
import type { VersionRow } from "./store.ts";

export type Outcome = Deleted | { readonly error: unknown };

interface Run {
  readonly deps: WriteDeps;
  readonly bucket: Bucket;
  readonly caller: S3Caller;
  readonly plan: DeletionPlan;
  readonly events: ObjectEvent[];
  readonly nowMs: number;
  readonly keys: Keys;
}

/**
 * Deletes objects, which are sorted by key, in the caller's transaction. It reads all of them first, decides about each in
 * order, and writes the results together. The outcome is undefined for a deletion whose result depends on another
 * deletion of the set. The caller then deletes that object separately.
 */
export async function deleteSet(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  objects: readonly DeleteObject[],
): Promise<(Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = objects.map(({ key }) => attempt(() => requireKey(key)));
  const isMixed = mixedKeysTest(objects);
  const chosen = [...objects.keys()].filter((i) => outcomes[i] === undefined && !isMixed(objects[i] as DeleteObject));
  const set = chosen.map((i) => objects[i] as DeleteObject);
  if (set.length === 0) return outcomes;
  const run = {
    deps,
    bucket,
    caller,
    plan: new DeletionPlan(),
    events: [],
    nowMs: deps.clock.nowMs(),
    keys: keysOf(set),
  };
  for (const [at, outcome] of (await decide(run, tx, set)).entries()) outcomes[chosen[at] as number] = outcome;
  const owner = ownerColumn(writerOf(caller, bucket), bucket.owner);
  await run.plan.write(deps, tx, bucket, { owner, nowMs: run.nowMs });
  await emitAll(deps, tx, bucket, run.events);
  return outcomes;
}

/** Runs `act`. Returns its S3 error, or undefined if it succeeded. */
function attempt(act: () => void): { readonly error: unknown } | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return { error };
    throw error;
  }
}

/**
 * Returns a test whether the set names an object's key both with and without a version. A set without versions is not
 * searched, because comparing long keys is expensive.
 */
function mixedKeysTest(objects: readonly DeleteObject[]): (object: DeleteObject) => boolean {
  const versioned = new Set(objects.flatMap(({ key, versionId }) => (versionId === undefined ? [] : [key])));
  if (versioned.size === 0) return () => false;
  const present = new Set(objects.flatMap(({ key, versionId }) => (versionId === undefined ? [key] : [])));
  return ({ key }) => versioned.has(key) && present.has(key);
}

async function decide(run: Run, tx: Writer, objects: readonly DeleteObject[]): Promise<Outcome[]> {
  let states: KeyState[];
  try {
    states = await statesOf(run.deps, tx, run.bucket, run.keys);
  } catch (error) {
    if (error instanceof S3Error) return objects.map(() => ({ error })); // The bucket has been deleted.
    throw error;
  }
  const { written, places } = run.keys;
  const asked = objects.flatMap(({ versionId }, n) =>
    versionId === undefined ? [] : [{ n, key: written[places[n] as number] as string, version_id: versionId }],
  );
  const versions = await versionsNamed(run.deps, tx, run.bucket, asked);
  const gone = new Set<string>();
  return objects.map((object, n) => {
    const { key, versionId } = object;
    const place = places[n] as number;
    if (versionId === undefined) return deletePresent(run, states, place, object);
    const version = gone.has(`${versionId} ${place}`) ? undefined : versions.get(n);
    if (version === undefined) return { key, versionId, deleteMarker: false, markerVersionId: null };
    const outcome = deleteVersion(run, written[place] as string, { ...object, versionId }, version);
    if (!("error" in outcome)) gone.add(`${versionId} ${place}`);
    return outcome;
  });
}

type Named = DeleteObject & { readonly versionId: string };

/** Does the same as `markDeleted`, for one object of the set. */
function deletePresent(run: Run, states: KeyState[], place: number, { key, conditions }: DeleteObject): Outcome {
  const state = states[place] as KeyState;
  const written = run.keys.written[place] as string;
  const refused = attempt(() => requireDeletable(state, conditions, key));
  if (refused !== undefined) return refused;
  const { versioning, newest } = state;
  // With conditions, the deletion of an absent object does nothing, so it adds no marker.
  const leavesNothing = versioning === "unversioned" || Object.keys(conditions ?? {}).length > 0;
  let version: string | null = null;
  if (newest !== undefined || !leavesNothing) {
    retirePresent(run, written, state);
    const marker = versioning === "unversioned" ? undefined : markerFor(run, written, state);
    version = marker?.version_id ?? null;
    const past = marker === undefined ? undefined : { ...NOTHING, seq: marker.seq };
    states[place] = { versioning, current: undefined, newest: past && { ...past, modified_at: run.nowMs }, past };
  }
  const name = version === null ? "ObjectRemoved:Delete" : "ObjectRemoved:DeleteMarkerCreated";
  run.events.push({ name, key, versionId: version, caller: run.caller });
  return { key, versionId: null, deleteMarker: version !== null, markerVersionId: version };
}

const NOTHING = { blob_id: null, size: 0, etag: "" };

/** Moves the current version to the history, or deletes it when the marker replaces it. */
function retirePresent({ plan }: Run, key: string, { versioning, current, past }: KeyState): void {
  const isReplaced = versioning !== "enabled" && current?.version_id === NULL_VERSION;
  if (current !== undefined) (isReplaced ? plan.emptied : plan.retired).push(key);
  if (versioning === "enabled" || isReplaced) return plan.count(isReplaced ? current : undefined);
  if (past !== undefined) plan.removePast({ key, seq: past.seq });
  plan.count(past);
}

/** Later versions have smaller `seq` numbers, so that the newest comes first, even if the clock stops or goes back. */
function markerFor({ plan, nowMs }: Run, key: string, { versioning, newest }: KeyState) {
  const marker = {
    key,
    seq: Math.min(-nowMs * 1000, (newest?.seq ?? 0) - 1),
    version_id: versioning === "enabled" ? randomBytes(24).toString("base64url") : NULL_VERSION,
  };
  plan.addMarker(marker);
  return marker;
}

/** Does the same as `removeVersion`, for one object of the set. */
function deleteVersion(run: Run, written: string, object: Named, version: VersionRow): Outcome {
  const { plan, deps } = run;
  const { key, versionId, conditions, bypassGovernance = false } = object;
  const refused = attempt(() => {
    requireConditions(version, conditions, key);
    requireUnlocked(detailOf(version), deps.clock, bypassGovernance);
  });
  if (refused !== undefined) return refused;
  if (version.is_current === 1) plan.emptied.push(written);
  else plan.removePast({ key: written, seq: version.seq });
  plan.promoted.add(written);
  plan.count(version);
  run.events.push({ name: "ObjectRemoved:Delete", key, versionId, caller: run.caller });
  const isMarker = version.blob_id === null;
  return { key, versionId, deleteMarker: isMarker, markerVersionId: isMarker ? versionId : null };
}
