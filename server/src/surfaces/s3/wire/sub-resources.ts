/** Parameters that select another operation; an unsupported one is named in the error. */
export const SELECTORS: ReadonlySet<string> = new Set(
  [
    "accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle list-type",
    "location logging metadataConfiguration metadataTable metadataInventoryTable metadataJournalTable metrics notification",
    "object-lock ownershipControls policy policyStatus publicAccessBlock renameObject replication requestPayment restore retention",
    "select session tagging torrent uploadId uploads versioning versions website append abac annotation",
  ]
    .join(" ")
    .split(" "),
);
