import { requireRoom } from "#domain/limits/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { Credential } from "./view.ts";

/**
 * Personal tokens count for their person, in all organizations; other credentials for their organization.
 * @throws Problem `limit_reached`
 */
export async function requireRoomFor(
  { metadata }: { readonly metadata: MetadataStore },
  tx: Writer,
  made: { readonly kind: Credential["kind"]; readonly orgId: string; readonly createdBy: string },
): Promise<void> {
  if (made.kind === "app") await requireRoom(metadata, tx, "credentials_max", made.orgId);
  else await requireRoom(metadata, tx, "personal_tokens_max", made.createdBy);
}
