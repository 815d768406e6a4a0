import type { Signatures } from "#domain/identity/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { isId, newId } from "#kernel/ids.ts";
import type { ContentAlgorithm } from "./digest.ts";

/** An upload, as its URL names it. The records know whether it has content. */
export interface Session {
  readonly id: string;
  readonly beganMs: number;
  /** The algorithm of the digest that the client will close the upload with. */
  readonly algorithm: ContentAlgorithm;
  /** The text in the path. */
  readonly text: string;
}

/** The owner and the place of an upload. It does not exist for any other. */
export interface SessionPlace {
  readonly repository: string;
  readonly principal: string;
}

/**
 * Creates and finds the URLs of uploads. A URL itself proves who got it and for which repository. So an upload without
 * content needs no row: most uploads end with the next request.
 */
export interface Sessions {
  begin(place: SessionPlace, algorithm: ContentAlgorithm, nowMs: number): Session;
  /** Returns undefined for text that was not issued for this place. */
  find(place: SessionPlace, text: string): Promise<Session | undefined>;
}

const PURPOSE = "registry-upload";
const FORM = /^(upl_[0-9a-hjkmnp-tv-z]{26})\.([0-9a-z]{1,11})\.(sha256|sha512)\.([A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{27})$/;
/** Before keys had names, the last character of the code had bits beyond its sixteen bytes. */
const FORMER_MAC_CHARS = 22;

export function createSessions(envelope: Pick<Signatures, "sign" | "verify">): Sessions {
  const textOf = (head: string, { repository, principal }: SessionPlace): string =>
    `${head}|${repository}|${principal}`;
  return {
    begin: (place, algorithm, nowMs) => {
      const id = newId("upl", nowMs);
      const head = `${id}.${nowMs.toString(36)}.${algorithm}`;
      const mac = envelope.sign(PURPOSE, textOf(head, place)).toString("base64url");
      return { id, beganMs: nowMs, algorithm, text: `${head}.${mac}` };
    },
    find: async (place, text) => {
      const [, id, began, algorithm, mac] = FORM.exec(text) ?? [];
      if (id === undefined || began === undefined || mac === undefined || !isId("upl", id)) return undefined;
      const code = mac.length === FORMER_MAC_CHARS ? Buffer.from(mac, "base64url") : decodeBase64Url(mac);
      const head = text.slice(0, -mac.length - 1);
      if (code === undefined || !(await envelope.verify(PURPOSE, textOf(head, place), code))) return undefined;
      return { id, beganMs: Number.parseInt(began, 36), algorithm: algorithm as ContentAlgorithm, text };
    },
  };
}
