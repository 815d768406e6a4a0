import type { LeakKind } from "@mooring/contract";

/** The forms of secrets. The first that matches decides. */
const FORMS: readonly (readonly [pattern: RegExp, kind: LeakKind])[] = [
  [/^mrcs_/, "client_secret"],
  [/^mrpat_/, "personal_token"],
  [/^mrik_/, "ingest_key"],
  [/^mrwh_/, "webhook_url"],
  [/^mriv_/, "invitation"],
  [/^mrst_/, "setup_link"],
  [/^mrrl_/, "reset_link"],
  [/^mrpt_/, "session_token"],
  [/^mrlt_/, "login_token"],
  [/^mrlr_/, "login_refresh_token"],
  [/^(?:mrac|mrdc)_/, "login_code"],
  [/^mrop_/, "operator_token"],
  [/^mrrr?\./, "registry_token"],
  [/^MOOR[A-Z2-7]{16}$/, "s3_access_key"],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, "access_token"],
  [/^[\w-]{40}$/, "s3_secret"],
  [/^[\w-]{43}$/, "session"],
];

export function kindOf(secret: string): LeakKind | null {
  return FORMS.find(([pattern]) => pattern.test(secret))?.[1] ?? null;
}

/** Places of a secret in a longer text: a header field, a cookie, a link, an address of a webhook, a presigned URL. */
const PLACES: readonly RegExp[] = [
  /^(?:authorization:\s*)?bearer\s+(\S+)$/i,
  /(?:^|[;\s])__Host-mooring=([\w-]{43})/,
  /\/hooks\/(mrwh_\w+)/,
  /#(mr\w+_\w+)$/,
  /[?&]X-Amz-Credential=(MOOR[A-Z2-7]{16})/i,
  /[?&]AWSAccessKeyId=(MOOR[A-Z2-7]{16})/i,
];

/** Returns the secret in a line that people paste. */
export function partOf(text: string): string {
  const line = text.trim();
  for (const place of PLACES) {
    const part = place.exec(line)?.[1];
    if (part !== undefined) return part;
  }
  return line;
}
