export type { Group } from "./piece.ts";
export { bootId } from "./boot.ts";
export { recordGap } from "./gap.ts";
export type { Gap } from "./recover.ts";
export { SPOOL_DEFAULTS } from "./options.ts";
export { Spool, type SpoolFigures } from "./spool.ts";
