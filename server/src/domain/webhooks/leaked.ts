import type { Envelope } from "#domain/identity/index.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { possibleTokenColumns } from "./secrets.ts";
import { webhookByToken, type Addressed } from "./store.ts";

/** Finds the webhook of the token in an address, also of one that was rotated lately. */
export async function webhookOfToken(
  { envelope, read }: { readonly envelope: Pick<Envelope, "lookupHashes">; readonly read: Reader },
  token: string,
): Promise<Addressed | undefined> {
  if (!isWellFormedSecret("mrwh", token)) return undefined;
  const hashes = possibleTokenColumns(envelope, token).map((columns) => columns.token_hash);
  return webhookByToken(read, hashes);
}
