const KEY = "mooring.single-keys";

/** Keys without a modifier can be turned off, because they disturb speech input (WCAG 2.2, 2.1.4). */
export function singleKeysOn(): boolean {
  return localStorage.getItem(KEY) !== "off";
}

export function setSingleKeys(on: boolean): void {
  localStorage.setItem(KEY, on ? "on" : "off");
}
