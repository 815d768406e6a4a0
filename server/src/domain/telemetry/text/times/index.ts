export {
  createTimeContext,
  monthOf,
  timestampOf,
  timestampOfEpoch,
  type Civil,
  type TimeContext,
  type TimeContextOptions,
} from "./civil.ts";
export { findTime, readTime, type FoundTime, type TimeFinder } from "./find.ts";
export { createStrptime, TimeFormatError } from "./strptime.ts";
export { UTC, zoneOf, type Zone } from "./zone.ts";
