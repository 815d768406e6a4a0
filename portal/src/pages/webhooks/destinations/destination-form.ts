import type { BodyOf, ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";

type Destination = ResultOf<typeof WEBHOOK_ROUTES.getWebhookDestination>;
type NewDestination = BodyOf<typeof WEBHOOK_ROUTES.createWebhookDestination>;

/** A destination as a form has it: everything a text. */
export interface Draft {
  readonly name: string;
  readonly url: string;
  /** Types by comma or line. */
  readonly types: string;
  readonly header: string;
  readonly pointer: string;
  readonly text: string;
  readonly ordered: boolean;
  /** Empty: as fast as it takes them. */
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

/** What the API is given. */
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

/** A filter in a few words. */
export function filterText({ types, header, pointer, text }: Destination["filter"]): string {
  const parts = [
    types !== undefined && `type ${types.join(" or ")}`,
    header !== undefined && `header ${header}`,
    pointer !== undefined && `JSON ${pointer}`,
    text !== undefined && `text “${text}”`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "every event" : parts.join(", and ");
}
