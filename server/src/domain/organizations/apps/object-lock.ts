import { Problem } from "#kernel/problem.ts";

/** @throws Problem `conflict` if there is a bucket with an object lock that would be deleted */
export function requireNoObjectLock(bucket: string | undefined): void {
  if (bucket === undefined) return;
  throw new Problem(
    "conflict",
    `The bucket ${bucket} has an object lock and is not empty, so it can't be deleted as a whole. Delete its versions when their locks have ended.`,
  );
}
