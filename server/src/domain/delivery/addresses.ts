import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";

/** The URL in the form in which it is stored. A refusal is added to `errors`. */
export function checkedUrl(outbound: Pick<Outbound, "check">, url: string, errors: ProblemPlace[]): string {
  try {
    return outbound.check(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    errors.push({ pointer: "/url", detail: error.message });
    return url;
  }
}

/** The same for a body whose URL alone can be wrong. @throws Problem `invalid_body` with this detail */
export function requireUrl(outbound: Pick<Outbound, "check">, url: string, detail: string): string {
  const errors: ProblemPlace[] = [];
  const checked = checkedUrl(outbound, url, errors);
  if (errors.length > 0) throw new Problem("invalid_body", detail, { errors });
  return checked;
}

/** For the audit log: a path may be a secret, as in the URLs of chat systems. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

/** For a principal that may only read, the origin alone. */
export function shownUrl(url: string, mayWrite: boolean): string {
  return mayWrite ? url : `${originOf(url)}/…`;
}
