import { bytesLeft, quotaExceeded } from "#domain/registry/index.ts";
import type { Reservation } from "#kernel/reservations.ts";
import type { RegistrySurfaceDeps } from "./deps.ts";

/** Reserves what content will take of the organization's quota before it is written. @throws RegistryError `DENIED` */
export async function reserveRoom(deps: RegistrySurfaceDeps, orgId: string, bytes: number): Promise<Reservation> {
  const left = (): Promise<number> => bytesLeft(deps.metadata.read, orgId, deps.settings.storedBytesMax);
  return deps.reservations.reserve(orgId, { left, refusal: quotaExceeded }, bytes);
}
