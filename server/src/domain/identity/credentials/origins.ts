import { Problem, type ProblemPlace } from "#kernel/problem.ts";

/** Origins of web pages (RFC 6454) that may use an ingest key. `https://*.example.com` stands for one more label. */

const ORIGINS_MAX = 20;
const ORIGIN_CHARS_MAX = 270;
const FORM = /^https?:\/\/(?:\*\.(?=[^.]+\.))?[^/?#@*\s]+$/;

/** Returns the column. @throws Problem `invalid_body` with the place of each invalid origin */
export function requireOrigins(origins: readonly string[] | null): string | null {
  if (origins === null) return null;
  const errors: ProblemPlace[] = origins.flatMap((origin, i) =>
    isOrigin(origin)
      ? []
      : [
          {
            pointer: `/origins/${i}`,
            detail: "must be an origin, such as https://app.example.com or https://*.example.com",
          },
        ],
  );
  if (origins.length === 0 || origins.length > ORIGINS_MAX)
    errors.push({ pointer: "/origins", detail: `must have 1 to ${ORIGINS_MAX} origins, or be null for no such limit` });
  if (errors.length > 0) throw new Problem("invalid_body", "The origins are not valid.", { errors });
  return [...new Set(origins)].join(" ");
}

/** Whether it is exactly what browsers send: lower case, without a path, and without the default port. */
function isOrigin(text: string): boolean {
  if (text.length > ORIGIN_CHARS_MAX || !FORM.test(text)) return false;
  const concrete = text.replace("://*.", "://any.");
  return URL.canParse(concrete) && new URL(concrete).origin === concrete;
}

/** Whether pages of this origin may use a key. Absent: the request comes from no page. */
export function allowsOrigin(origins: readonly string[] | null, origin: string | undefined): boolean {
  if (origins === null) return true;
  return origin !== undefined && origins.some((allowed) => matches(allowed, origin));
}

function matches(allowed: string, origin: string): boolean {
  const star = allowed.indexOf("*.");
  if (star < 0) return allowed === origin;
  const [scheme, rest] = [allowed.slice(0, star), allowed.slice(star + 1)];
  if (!origin.startsWith(scheme) || !origin.endsWith(rest)) return false;
  const label = origin.slice(scheme.length, origin.length - rest.length);
  return /^[a-z0-9_-]+$/.test(label);
}

/** Whether the new origins include one that the old ones do not name. */
export function areWiderOrigins(before: string | null, after: string | null): boolean {
  if (before === null) return false;
  const known = before.split(" ");
  return after === null || after.split(" ").some((origin) => !known.includes(origin));
}
