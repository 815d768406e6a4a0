/** How long what is replaced may still count, in seconds. */
export const OVERLAPS: readonly (readonly [seconds: number, title: string])[] = [
  [0, "not at all: it ends now"],
  [3600, "an hour"],
  [86_400, "a day"],
  [604_800, "a week"],
];
