import { encode } from "uqr";
import type { ReactNode } from "react";
import { darkPath } from "./qr.ts";

/** Shows a text as a QR code. It is black on white in both themes, since cameras need this. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { size, data } = encode(text, { ecc: "M", border: 3 });
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="size-[180px] shrink-0 rounded border border-line"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
      <path fill="#000" d={darkPath(data)} />
    </svg>
  );
}
