import type { BodyOf, ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";

type Destination = ResultOf<typeof WEBHOOK_ROUTES.getWebhookDestination>;
type NewDestination = BodyOf<typeof WEBHOOK_ROUTES.createWebhookDestination>;

/** The texts in the form. */
export interface Draft {
  readonly name: string;
  readonly url: string;
  /** Types, separated by commas or lines. */
  readonly types: string;
  readonly header: string;
  readonly pointer: string;
  readonly text: string;
  readonly ordered: boolean;
  /** Empty: no limit. */
  readonly rate: string;
}

export function draftOf(destination: Destination | null): Draft {
  const { filter = {}, rate_per_second: rate = null } = destination ?? {};
  return {
    name: destination?.name ?? "",
    url: destination?.url ?? "",
    types: filter.types?.join(", ") ?? "",
    header: filter.header ?? "",
    pointer: filter.pointer ?? "",
    text: filter.text ?? "",
    ordered: destination?.ordered ?? false,
    rate: rate === null ? "" : String(rate),
  };
}

/** Returns the body for the API. */
export function destinationOf(draft: Draft): NewDestination {
  const types = draft.types
    .split(/[,\n]/)
    .map((type) => type.trim())
    .filter((type) => type !== "");
  const { header, pointer, text } = draft;
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    filter: {
      ...(types.length === 0 ? {} : { types }),
      ...(header === "" ? {} : { header }),
      ...(pointer === "" ? {} : { pointer }),
      ...(text === "" ? {} : { text }),
    },
    ordered: draft.ordered,
    rate_per_second: draft.rate === "" ? null : Number(draft.rate),
  };
}

/** Describes a filter. */
export function filterText({ types, header, pointer, text }: Destination["filter"]): string {
  const parts = [
    types !== undefined && `type ${types.join(" or ")}`,
    header !== undefined && `header ${header}`,
    pointer !== undefined && `JSON ${pointer}`,
    text !== undefined && `text “${text}”`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "every event" : parts.join(", and ");
}
