export { type ParsedLine, type TextEntry } from "./entry.ts";
export {
  checkTextOptions,
  createTextReader,
  type LeftOut,
  type OnNoTime,
  type TextCounts,
  type TextLine,
  type TextOptions,
  type TextReader,
  type TextSink,
} from "./reader.ts";
export { monthOf, timestampOf, UTC, zoneOf, type TimeContextOptions, type Zone } from "./times/index.ts";
