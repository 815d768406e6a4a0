import type { TrashKind } from "@mooring/contract";
import type { Writer } from "#stores/metadata/index.ts";
import type { TrashRow } from "./store.ts";

export interface RestoreOptions {
  /** The slug of a restored app or project. Absent: its former one. */
  readonly slug?: string | undefined;
}

/** What differs between the kinds. The domain of each kind makes its row; `app/trash.ts` has the table. */
export interface TrashKindRules {
  /** The lock of the organization under which the domain changes its objects. */
  readonly lock: "webhook" | "registry" | "organization";
  /** Brings the object back. The item was taken out. @throws Problem `conflict` */
  restore(tx: Writer, item: TrashRow, options: RestoreOptions): Promise<void>;
  /** Runs after the restore was committed. */
  restored?(item: TrashRow): Promise<void>;
  /** Refuses to delete an item for good. @throws Problem `conflict` */
  beforePurge?(tx: Writer, item: TrashRow): Promise<void>;
  /**
   * Deletes the object. It works in steps, each of which can be repeated, and the last deletes the item. Returns false
   * if something must end first. Then the item is tried again later.
   */
  end(item: TrashRow, signal: AbortSignal): Promise<boolean>;
}

export type TrashKinds = Readonly<Record<TrashKind, TrashKindRules>>;
