import { OTLP_VALUES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";

/**
 * The depth of nested messages. Deeper ones are left out while decoding, which limits the stack. Nothing is lost
 * silently: an attribute of that depth exceeds `ATTRIBUTES_DEPTH_MAX`, so its record is refused. A level is three
 * messages in a map, two in a list.
 */
export const MESSAGES_DEPTH_MAX = 120;

/** Limits the number of values in one request: a few bytes of a body can become an object of a hundred bytes. */
export class ValueBudget {
  #left = OTLP_VALUES_MAX;

  /** @throws Problem `body_too_large` */
  take(): void {
    this.#left -= 1;
    if (this.#left < 0) {
      throw new Problem(
        "body_too_large",
        `The body has more than ${OTLP_VALUES_MAX} messages and numbers; send fewer records at a time.`,
      );
    }
  }
}
