/** A quota of the contract: bytes; none: no limit; null: the setting of the server. */
type Quota = number | "none" | null;

/** Returns the quota that a person typed. An empty text means the setting of the server. */
export function quotaOfText(text: string): Quota {
  const word = text.trim();
  if (word === "") return null;
  return word === "none" ? word : Number(word);
}

export function textOfQuota(quota: Quota): string {
  return quota === null ? "" : String(quota);
}
