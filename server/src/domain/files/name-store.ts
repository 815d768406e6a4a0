import type { Reader } from "#stores/metadata/index.ts";
import { endOfPrefix, type Places } from "./places.ts";

export interface NameSelection extends Places {
  readonly prefix: string | undefined;
}

/** Names of a selection, which no column is chosen of yet. */
export function selectedNames(db: Reader, { orgId, projectId, hidden, prefix }: NameSelection) {
  const end = prefix === undefined ? undefined : endOfPrefix(prefix);
  return db
    .selectFrom("file_name")
    .where("org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("place", "=", projectId ?? ""))
    .$if(hidden.length > 0, (query) => query.where("place", "not in", [...hidden]))
    .$if(prefix !== undefined, (query) => query.where("filename", ">=", prefix ?? ""))
    .$if(end !== undefined, (query) => query.where("filename", "<", end ?? ""));
}

/** Files of all names of a selection, in as many rows as there are names: of the first `namesMax` names when there are more. */
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
