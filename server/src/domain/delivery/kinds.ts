import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { Attempted } from "./attempts.ts";
import type { SecretTable, SigningColumns } from "./secrets.ts";

/** A pending message with its destination. */
export type Pending = SigningColumns & {
  readonly body: string;
  readonly attempts: number;
  readonly destination_id: string;
  readonly url: string;
};

/**
 * A kind of message that has one job per message. Events of webhooks have one job per destination instead, see
 * `forwarding/`.
 */
export interface MessageKind {
  /** The kind of the job. It must not change, because the queue may contain jobs of older versions. */
  readonly job: string;
  readonly secretsIn: SecretTable;
  /** Returns undefined if there is nothing left to send. */
  find(db: Reader, id: string): Promise<Pending | undefined>;
  settle(tx: Writer, id: string, attempted: Attempted): Promise<void>;
}

export const MESSAGES = {
  /** The last deliveries of each alert are kept, with their results. */
  alert: {
    job: "alert.deliver",
    secretsIn: "alert",
    find: (db, id) =>
      db
        .selectFrom("alert_delivery as d")
        .innerJoin("alert as to", "to.id", "d.alert_id")
        .select(["d.body", "d.attempts", "to.id as destination_id", "to.url", "to.secret", "to.secret_version"])
        .select(["to.previous_secret", "to.previous_secret_until"])
        .where("d.id", "=", id)
        .where("d.state", "=", "pending")
        .executeTakeFirst(),
    settle: async (tx, id, attempted) => {
      await tx.updateTable("alert_delivery").set(attempted).where("id", "=", id).execute();
    },
  },
  /** A delivered message is deleted. A dead one is kept for a month. */
  s3: {
    job: "s3.deliver",
    secretsIn: "s3_destination",
    find: (db, id) =>
      db
        .selectFrom("s3_delivery as d")
        .innerJoin("s3_destination as to", "to.id", "d.destination_id")
        .select(["d.body", "d.attempts", "to.id as destination_id", "to.url", "to.secret"])
        .where("d.id", "=", id)
        .where("d.state", "=", "pending")
        .executeTakeFirst(),
    settle: async (tx, id, { state, attempts, last_status, last_error }) => {
      if (state === "delivered") await tx.deleteFrom("s3_delivery").where("id", "=", id).execute();
      else {
        const columns = { state, attempts, last_status, last_error };
        await tx.updateTable("s3_delivery").set(columns).where("id", "=", id).execute();
      }
    },
  },
} as const satisfies Readonly<Record<string, MessageKind>>;
