import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { choiceOf, formerOf, isSameChoice, type FormerChoice, type RetentionChoice } from "#stores/telemetry/index.ts";
import type { TelemetryPolicyRow } from "./store.ts";

/** Replaced choices that still count, at most. */
const FORMER_MAX = 20;

/**
 * Returns the replaced choices that still count, after a change of the policy.
 * @throws Problem `limit_reached`
 */
export function formerColumns(
  { clock, retentionGraceMs = 0 }: { readonly clock: Clock; readonly retentionGraceMs?: number },
  before: TelemetryPolicyRow | undefined,
  after: Omit<TelemetryPolicyRow, "org_id" | "revision" | "updated_at">,
): Pick<TelemetryPolicyRow, "retention_before"> {
  const nowMs = clock.nowMs();
  const [old, next] = [choiceOf(before), choiceOf(after)];
  const counting = formerOf(before).filter(({ untilMs }) => untilMs > nowMs);
  if (isSameChoice(old, next) || isLonger(old, next) || retentionGraceMs === 0)
    return { retention_before: counting.length === 0 ? null : JSON.stringify(counting) };
  const others = counting.filter((choice) => !isSameChoice(choice, old) && !isSameChoice(choice, next));
  if (others.length >= FORMER_MAX)
    throw new Problem(
      "limit_reached",
      `The retention was changed ${FORMER_MAX} times, and each earlier one still counts for some days. Wait until one of them ends.`,
    );
  const former: FormerChoice = { untilMs: nowMs + retentionGraceMs, ...old };
  return { retention_before: JSON.stringify([...others, former]) };
}

/** Returns whether a change certainly keeps every row. */
function isLonger(old: RetentionChoice, next: RetentionChoice): boolean {
  if (JSON.stringify(old.rules) !== JSON.stringify(next.rules)) return false;
  return Object.entries(next.days).every(([type, days]) => {
    const was = old.days[type as keyof RetentionChoice["days"]] ?? null;
    return days === was || (days !== null && was !== null && days >= was);
  });
}
