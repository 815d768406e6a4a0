export { exportOrganization, type ExportDeps, type ExportOptions } from "./export.ts";
export type { MoveManifest } from "./format.ts";
export { importOrganization, type ImportDeps, type ImportedOrganization, type ImportOptions } from "./import.ts";
export { PASSPHRASE_CHARS_MIN, unwrapSecret, wrapSecret } from "./passphrase.ts";
export type { MovePart } from "./parts/part.ts";
export { contentsNamed } from "./store.ts";
export { restorePart, type RestoreDeps, type RestoredPart } from "./parts/restore.ts";
export type { MoveProgress } from "./progress.ts";
