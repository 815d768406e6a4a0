import type { MetadataStore, Tables, Writer } from "#stores/metadata/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { ErasedTable, ErasureMatch, Predicate } from "./predicate.ts";

/** An erasure that this directory must run. */
export interface ErasureTask {
  readonly id: string;
  readonly orgId: string;
  readonly types: readonly ErasedTable[];
  readonly predicate: Predicate;
}

export interface ErasureOutcome {
  readonly state: "done" | "failed";
  readonly quarantined: readonly string[];
  readonly detail: string | null;
}

const UNFINISHED: readonly Tables["telemetry_erasure_part"]["state"][] = ["pending", "running"];

/** The erasures of one telemetry directory, in the metadata store. */
export class ErasureRecords {
  readonly #metadata: MetadataStore;
  readonly #storeId: string;
  readonly #clock: Clock;

  constructor(options: { metadata: MetadataStore; storeId: string; clock: Clock }) {
    this.#metadata = options.metadata;
    this.#storeId = options.storeId;
    this.#clock = options.clock;
  }

  /** Lists the unfinished tasks, the oldest first. */
  async due(): Promise<ErasureTask[]> {
    const rows = await this.#metadata.read
      .selectFrom("telemetry_erasure_part as part")
      .innerJoin("telemetry_erasure as erasure", "erasure.id", "part.erasure_id")
      .select(["erasure.id", "erasure.org_id", "erasure.types", "erasure.from_us", "erasure.to_us", "erasure.match"])
      .where("part.store_id", "=", this.#storeId)
      .where("part.state", "in", UNFINISHED)
      .orderBy("erasure.id")
      .execute();
    return rows.map((row) => ({
      id: row.id,
      orgId: row.org_id,
      types: JSON.parse(row.types) as ErasedTable[],
      predicate: { fromUs: row.from_us, toUs: row.to_us, match: JSON.parse(row.match ?? "{}") as ErasureMatch },
    }));
  }

  async begin(id: string): Promise<void> {
    await this.#metadata.write(async (tx) => {
      await this.#part(tx, id).set({ state: "running" }).where("state", "=", "pending").execute();
    });
  }

  /**
   * Counts erased rows. It runs in the transaction that removes the rows from the manifest, so each row is counted exactly
   * once.
   */
  async count(tx: Writer, id: string, rows: number, files = 1): Promise<void> {
    await this.#part(tx, id)
      .set((eb) => ({
        rows_erased: eb("rows_erased", "+", rows),
        files_rewritten: eb("files_rewritten", "+", files),
      }))
      .execute();
  }

  /**
   * Records the outcome of a directory. When every directory has finished, the values of match are deleted, because they may
   * name a person.
   */
  async finish(id: string, { state, quarantined, detail }: ErasureOutcome): Promise<void> {
    const at = this.#clock.nowMs();
    await this.#metadata.write(async (tx) => {
      // Two directories that finish at the same time must see each other.
      await this.#metadata.lock(tx, `telemetry_erasure:${id}`);
      const outcome = { state, quarantined: JSON.stringify(quarantined), detail, finished_at: at };
      await this.#part(tx, id).set(outcome).execute();
      const open = await tx
        .selectFrom("telemetry_erasure_part")
        .select("store_id")
        .where("erasure_id", "=", id)
        .where("state", "in", UNFINISHED)
        .limit(1)
        .execute();
      if (open.length > 0) return;
      await tx.updateTable("telemetry_erasure").set({ match: null, finished_at: at }).where("id", "=", id).execute();
    });
  }

  #part(tx: Writer, id: string) {
    return tx.updateTable("telemetry_erasure_part").where("erasure_id", "=", id).where("store_id", "=", this.#storeId);
  }
}
