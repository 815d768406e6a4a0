import type { Node } from "./trace-tree.ts";

export interface Move {
  /** Index of the row to move to. */
  readonly to?: number;
  readonly open?: string;
  readonly fold?: { readonly key: string; readonly isFolded: boolean };
}

/**
 * Returns the effect of a key in the tree, by the tree grid pattern of WAI-ARIA, with `j` and `k` in addition. Null: no
 * effect.
 */
export function moveOf(key: string, rows: readonly Node[], at: number, folded: ReadonlySet<string>): Move | null {
  const node = rows[at];
  if (node === undefined) return null;
  const last = rows.length - 1;
  const hasChildren = node.children.length > 0;
  const isFolded = folded.has(node.key);
  switch (key) {
    case "ArrowDown":
    case "j":
      return { to: Math.min(last, at + 1) };
    case "ArrowUp":
    case "k":
      return { to: Math.max(0, at - 1) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: last };
    case "Enter":
    case " ":
      return { open: node.key };
    case "ArrowRight":
      if (!hasChildren) return {};
      return isFolded ? { fold: { key: node.key, isFolded: false } } : { to: at + 1 };
    case "ArrowLeft":
      if (hasChildren && !isFolded) return { fold: { key: node.key, isFolded: true } };
      return { to: parentPlace(rows, at) };
    default:
      return null;
  }
}

function parentPlace(rows: readonly Node[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  for (let place = at - 1; place >= 0; place--) if ((rows[place]?.depth ?? 0) < depth) return place;
  return at;
}
