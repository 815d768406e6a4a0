import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";

/** Returns the URL in the stored form. Adds a refusal to `errors`. */
export function checkedUrl(outbound: Pick<Outbound, "check">, url: string, errors: ProblemPlace[]): string {
  try {
    return outbound.check(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    errors.push({ pointer: "/url", detail: error.message });
    return url;
  }
}

/**
 * Returns the URL in the stored form, for a body in which only the URL can be wrong.
 * @throws Problem `invalid_body` with this detail
 */
export function requireUrl(outbound: Pick<Outbound, "check">, url: string, detail: string): string {
  const errors: ProblemPlace[] = [];
  const checked = checkedUrl(outbound, url, errors);
  if (errors.length > 0) throw new Problem("invalid_body", detail, { errors });
  return checked;
}

/** Returns the origin, for the audit log. A path may be a secret, as in the URLs of chat systems. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

/** Returns the URL for a principal that may write, and only its origin for others. */
export function shownUrl(url: string, mayWrite: boolean): string {
  return mayWrite ? url : `${originOf(url)}/…`;
}
