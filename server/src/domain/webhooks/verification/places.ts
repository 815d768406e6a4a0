import { createHash } from "node:crypto";
import { elementsOf } from "#kernel/json-text.ts";
import { Compound } from "#kernel/json-places.ts";
import { fieldOf, LazyJson, textOf, type HookRequest } from "../request.ts";

/** The parts of a request that recipes name. */

export type Place =
  | { readonly in: "header" | "query"; readonly name: string }
  /** A JSON pointer (RFC 6901). One part may be `*`: the value in each element of a list. */
  | { readonly in: "json"; readonly pointer: string }
  /** The entry of the signature's list that begins with `mark`, without it. */
  | { readonly in: "entry"; readonly mark: string }
  /** The SHA-256 of the body. It names an event whose repetitions have the same bytes. */
  | { readonly in: "digest" };

export const header = (name: string): Place => ({ in: "header", name });
export const query = (name: string): Place => ({ in: "query", name });
export const json = (pointer: string): Place => ({ in: "json", pointer });
export const entry = (mark: string): Place => ({ in: "entry", mark });
export const DIGEST: Place = { in: "digest" };
/** The original bytes of the body. */
export const BODY = { part: "body" } as const;
/** The signed time, as it was sent. */
export const TIME = { part: "time" } as const;
/** The configured public URL, with the path and the query as they were sent. */
export const URL_TEXT = { part: "url" } as const;
export const METHOD = { part: "method" } as const;

/** A request, and its body as JSON. */
export interface Sent {
  readonly request: HookRequest;
  readonly json: LazyJson;
}

/** Returns the texts at a place: one, or one for each element of a list. Undefined when one is missing. */
export function textsAt({ request, json: body }: Sent, place: Place): string[] | undefined {
  switch (place.in) {
    case "header":
      return only(fieldOf(request, place.name));
    case "query":
      return only(parameterOf(request, place.name));
    case "digest":
      return [createHash("sha256").update(request.body).digest("base64url")];
    case "json":
      return textsIn(body, place.pointer);
    case "entry":
      return undefined;
  }
}

/** Returns the text at a place that has one. */
export function textAt(sent: Sent, place: Place): string | undefined {
  const texts = textsAt(sent, place);
  return texts?.length === 1 ? texts[0] : undefined;
}

/** Returns the name of a place for people. */
export function placeName(place: Place): string {
  switch (place.in) {
    case "header":
      return place.name;
    case "query":
      return `the parameter ${place.name}`;
    case "json":
      return `${place.pointer} of the body`;
    case "entry":
      return place.mark;
    case "digest":
      return "the body";
  }
}

/** Whether the request has a field twice. Then the sender and a reader of the event may see different values. */
export function isRepeated({ rawHeaders }: HookRequest, name: string): boolean {
  const wanted = name.toLowerCase();
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === wanted).length > 1;
}

/** A parameter that is given twice has no value. */
function parameterOf(request: HookRequest, name: string): string | undefined {
  const values = new URLSearchParams(request.query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function textsIn(body: LazyJson, pointer: string): string[] | undefined {
  const [list = "", rest] = pointer.split("/*");
  if (rest === undefined) return only(textOf(body.at(pointer)));
  const found = body.at(list);
  const elements = found instanceof Compound ? elementsOf(found.text) : undefined;
  if (elements === undefined || elements.length === 0) return undefined;
  const texts = elements.map((element) => {
    const inside = new LazyJson(Buffer.from(element));
    return textOf(inside.at(rest));
  });
  return texts.includes(undefined) ? undefined : (texts as string[]);
}

function only(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : [text];
}
