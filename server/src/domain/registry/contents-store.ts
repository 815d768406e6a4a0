import type { Reader, Writer } from "#stores/metadata/index.ts";

export interface Contents {
  readonly tags: number;
  readonly manifests: number;
  /** The bytes of blobs and manifests together. */
  readonly bytes: number;
}

const EMPTY: Contents = { tags: 0, manifests: 0, bytes: 0 };

/** Adds to the numbers of a repository, which may be negative. The caller holds the registry's lock. */
export function addToContents(
  tx: Writer,
  at: { readonly repository: string; readonly org_id: string },
  change: Partial<Contents>,
): void {
  const { tags, manifests, bytes } = { ...EMPTY, ...change };
  tx.defer(
    tx
      .insertInto("registry_contents")
      .values({ repository: at.repository, org_id: at.org_id, tags, manifests, bytes })
      .onConflict((on) =>
        on.column("repository").doUpdateSet((eb) => ({
          tags: eb("registry_contents.tags", "+", tags),
          manifests: eb("registry_contents.manifests", "+", manifests),
          bytes: eb("registry_contents.bytes", "+", bytes),
        })),
      ),
  );
}

export async function contentsOf(db: Reader, repository: string): Promise<Contents> {
  return (await contentsOfAll(db, [repository])).get(repository) ?? EMPTY;
}

/** Returns the contents of a page of repositories. Repositories that never had any are left out. */
export async function contentsOfAll(db: Reader, repositories: readonly string[]): Promise<Map<string, Contents>> {
  if (repositories.length === 0) return new Map();
  const query = db.selectFrom("registry_contents").select(["repository", "tags", "manifests", "bytes"]);
  const rows = await query.where("repository", "in", [...repositories]).execute();
  return new Map(rows.map(({ repository, ...contents }) => [repository, contents]));
}
