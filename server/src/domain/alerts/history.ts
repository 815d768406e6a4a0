import type { Page, PageQuery } from "#domain/organizations/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { deliveryRows, evaluationRows, type DeliveryRow, type EvaluationRow } from "./store.ts";

type Deps = { readonly metadata: Pick<MetadataStore, "read"> };

/** Lists deliveries, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listDeliveries(deps: Deps, alertId: string, page: PageQuery): Promise<Page<DeliveryRow>> {
  return pageBySeq(page, (before) => deliveryRows(deps.metadata.read, alertId, before));
}

/** Lists evaluations, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listEvaluations(deps: Deps, alertId: string, page: PageQuery): Promise<Page<EvaluationRow>> {
  return pageBySeq(page, (before) => evaluationRows(deps.metadata.read, alertId, before));
}

async function pageBySeq<T extends { seq: number }>(
  { cursor, limit }: PageQuery,
  read: (before: { beforeSeq: number | undefined; limit: number }) => Promise<T[]>,
): Promise<Page<T>> {
  const beforeSeq = cursor === undefined ? undefined : decodeCursor(cursor, ["number"])[0];
  const rows = await read({ beforeSeq, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor([last.seq]) : null };
}
