import { textsOption, type Parsed } from "./command.ts";

/** Returns the allowed ranges; undefined for every address. The server checks them. */
export function rangesOf(parsed: Parsed): string[] | undefined {
  const ranges = textsOption(parsed, "allow-from").flatMap((text) =>
    text.split(/[\s,]+/).filter((word) => word !== ""),
  );
  return ranges.length === 0 ? undefined : ranges;
}
