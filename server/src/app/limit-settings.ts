import Type from "typebox";
import { RECORD_LIMITS, type RecordLimit, type RecordLimits } from "#kernel/record-limits.ts";

const MOST = 100_000_000;
const schema = Type.Integer({ minimum: 0, maximum: MOST });

type LimitSettings = {
  readonly [N in RecordLimit]: { schema: typeof schema; default: number; description: string };
};

/** A setting for each limit of `kernel/record-limits.ts`. */
export const LIMIT_SETTINGS = Object.fromEntries(
  Object.entries(RECORD_LIMITS).map(([name, limit]) => [
    name,
    { schema, default: limit.default, description: `${limit.of}, at most` },
  ]),
) as LimitSettings;

const NAMES = Object.keys(RECORD_LIMITS) as RecordLimit[];

export function recordLimitsOf(config: RecordLimits): RecordLimits {
  return Object.fromEntries(NAMES.map((name) => [name, config[name]])) as Record<RecordLimit, number>;
}
