import type { Reader } from "#stores/metadata/index.ts";
import { endOfPrefix, nonEmpty, type Places } from "./places.ts";

export interface NameSelection extends Places {
  readonly prefix: string | undefined;
}

/** Returns a query for the selected names, without columns. */
export function selectedNames(db: Reader, { orgId, projectId, hidden, only, prefix }: NameSelection) {
  const end = prefix === undefined ? undefined : endOfPrefix(prefix);
  return db
    .selectFrom("file_name")
    .where("org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("place", "=", projectId ?? ""))
    .$if(hidden.length > 0, (query) => query.where("place", "not in", [...hidden]))
    .$if(only !== null, (query) => query.where("place", "in", nonEmpty(only ?? [])))
    .$if(prefix !== undefined, (query) => query.where("filename", ">=", prefix ?? ""))
    .$if(end !== undefined, (query) => query.where("filename", "<", end ?? ""));
}

/**
 * Counts the files of the selected names. It reads one row per name. If there are more than `namesMax` names, it counts
 * only the files of the first ones.
 */
export async function countFiles(
  db: Reader,
  selection: NameSelection,
  namesMax: number,
): Promise<{ readonly files: number; readonly isCut: boolean }> {
  const counted = selectedNames(db, selection)
    .select(["files"])
    .orderBy("filename")
    .orderBy("place")
    .limit(namesMax + 1);
  const { names, files } = await db
    .selectFrom(counted.as("counted"))
    .select((eb) => [eb.fn.countAll<number>().as("names"), eb.fn.sum<number | null>("files").as("files")])
    .executeTakeFirstOrThrow();
  return { files: Number(files ?? 0), isCut: Number(names) > namesMax };
}
