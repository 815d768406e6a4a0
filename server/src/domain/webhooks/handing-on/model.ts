import type { Tables } from "#stores/metadata/index.ts";

export type DestinationRow = Tables["webhook_destination"];
export type DeliveryRow = Tables["webhook_delivery"];

/** Which events a destination gets: those that fit every condition that is given. */
export interface DestinationFilter {
  readonly types?: readonly string[];
  /** Name, or Name:value. */
  readonly header?: string;
  /** A JSON pointer, or one and =value. */
  readonly pointer?: string;
  /** Text in the body. */
  readonly text?: string;
}

export interface DestinationSettings {
  readonly filter: DestinationFilter;
  /** One after the other, in the order in which they came: none is sent before the one before it was taken or given up. */
  readonly ordered: boolean;
  /** Null: as fast as it takes them. */
  readonly rate_per_second: number | null;
}

export const DEFAULT_DESTINATION: DestinationSettings = { filter: {}, ordered: false, rate_per_second: null };

export function destinationSettings(row: Pick<DestinationRow, "settings">): DestinationSettings {
  return JSON.parse(row.settings) as DestinationSettings;
}

/** The kind of the job that hands on to one destination; its key is the destination's id. */
export const HAND_ON = "webhook.hand_on";
