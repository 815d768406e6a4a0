import type { SealedPlace, Seals } from "../envelope.ts";
import { sealedIn, withSealed, type Row, type SealedColumn } from "./columns.ts";

/** Returns the plain value of a sealed column, or null if the row has none. @throws Error if it can't be opened */
export function openedValue(envelope: Seals, column: SealedColumn, row: Row): Buffer | null {
  const found = sealedIn(column, row);
  return found === null ? null : envelope.open(found.place, found.sealed);
}

/**
 * Returns the place of the value in a row whose value is not sealed yet. An object's `detail` has the other members of
 * its encryption.
 */
export function sealedValue(envelope: Seals, column: SealedColumn, row: Row, plain: Uint8Array): unknown {
  return withSealed(column, row, (place: SealedPlace) => envelope.seal(place, plain));
}
