import type { Place } from "../verification/places.ts";
import type { Check } from "../verification/recipe.ts";
import type { Sender, SenderHandshake } from "./sender.ts";

/** The pointers that the handshakes read (`handshakes.ts`). */
const OF_HANDSHAKES: Readonly<Partial<Record<SenderHandshake, readonly string[]>>> = {
  zoom: ["/event", "/payload/plainToken"],
  event_grid: ["/0/eventType", "/0/data/validationCode", "/1"],
  discord: ["/token"],
};

/** Returns the JSON pointers that a sender's recipe reads, so that one pass over the body finds them all. */
export function pointersOf({ verify, id, type, handshakes = [] }: Sender): readonly string[] {
  const places = [...verify.flatMap(placesOf), ...id.flat(), ...type];
  const pointers = places.filter((place) => place.in === "json").map(({ pointer }) => pointer.split("/*")[0] ?? "");
  return [...new Set([...pointers, ...handshakes.flatMap((name) => OF_HANDSHAKES[name] ?? [])])];
}

/** Returns the places that a check reads. */
export function placesOf(check: Check): readonly Place[] {
  if (check.kind === "equal") return check.places;
  if (!("signature" in check)) return [];
  const parts = check.parts.filter((part) => typeof part !== "string" && "in" in part);
  return [check.signature.field, ...(check.time === undefined ? [] : [check.time.at]), ...parts];
}
