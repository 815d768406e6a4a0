/** Joins class names; what is false or absent is left out. */
export function cn(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter((name) => typeof name === "string" && name !== "").join(" ");
}
