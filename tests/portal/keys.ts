/** Hands that have only a keyboard: what they press, and what the focus is then on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The focused element, as assistive technology gets it. */
export interface Focused {
  /** For people: role and name. */
  readonly what: string;
  readonly role: string;
  readonly name: string;
}

/** What can be seen of the focus. */
export interface Stop {
  readonly id: number;
  /** The widget within which the arrow keys move; null: none. */
  readonly composite: string | null;
  /** The tag of the part of the page that it stands in. */
  readonly region: string;
  /** Within the dialog or menu that is open, where one is. */
  readonly inScope: boolean;
  /** An outline shows that the focus is here. */
  readonly ring: boolean;
  /** Nothing else covers it wholly. */
  readonly hit: boolean;
  readonly place: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
}

export type Usable = Pick<Stop, "id" | "composite">;

type Wanted = string | RegExp;

export interface Keys {
  readonly page: Page;
  /** One after the other, by Playwright's names: `Control+Enter`. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Tab until the focus is on what has this role and name; a name in letters is the whole name. */
  tabTo(role: string, name: Wanted): Promise<Focused>;
  /** Goes there, and presses Enter. */
  take(role: string, name: Wanted): Promise<void>;
  /** Goes to a field, and types over its content. */
  fill(name: Wanted, text: string): Promise<void>;
  focused(): Promise<Focused | null>;
  /** Presses an arrow key, and waits until the focus has moved, until it is on what has this name. */
  goTo(key: string, name: string): Promise<void>;
  /** The next stop of Tab; null: the end of the page. */
  tab(): Promise<Stop | null>;
  /** Role and name of what a stop or a survey found. */
  nameOf(id: number): Promise<string>;
  /** Waits until the focus is there by itself. */
  arrives(role: string, name: Wanted): Promise<void>;
  survey(): Promise<readonly Usable[]>;
  /** Those that are still visible. */
  remaining(of: readonly Usable[]): Promise<readonly string[]>;
}

const STOPS_MAX = 400;
const ARROWS_MAX = 20;
const PATIENCE_MS = 20_000;

/** To be called before the page goes anywhere. */
export async function useKeys(page: Page): Promise<Keys> {
  await page.addInitScript({ path: join(import.meta.dirname, "keyboard-in-page.js") });
  const ask = async <T>(what: string): Promise<T> => page.evaluate<T>(`keyboardSurvey.${what}`);
  const focused = async (): Promise<Focused | null> => ask("focused()");
  const isIt = (stop: Focused | null, role: string, name: Wanted): boolean =>
    stop !== null && stop.role === role && (typeof name === "string" ? stop.name === name : name.test(stop.name));
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** // The target may still be loading: goes round until the time is over. */
  const tabTo = async (role: string, name: Wanted): Promise<Focused> => {
    const untilMs = performance.now() + PATIENCE_MS;
    const met = new Set<string>();
    for (let i = 0; i < STOPS_MAX || performance.now() < untilMs; i++) {
      const stop = await focused();
      if (stop !== null && isIt(stop, role, name)) return stop;
      if (stop !== null) met.add(stop.what);
      if (performance.now() > untilMs) break;
      await press("Tab");
    }
    throw new Error(`no Tab leads to ${role} ${String(name)}; it leads to\n  ${[...met].join("\n  ")}`);
  };
  return {
    page,
    press,
    type: (text) => page.keyboard.type(text),
    tabTo,
    take: async (role, name) => {
      await tabTo(role, name);
      await press("Enter");
    },
    fill: async (name, text) => {
      await tabTo("textbox", name);
      await press("Control+a");
      await page.keyboard.type(text);
    },
    focused,
    goTo: (key, name) => goTo({ page, press, focused }, key, name),
    tab: async () => {
      await press("Tab");
      return ask("stop()");
    },
    nameOf: (id) => ask(`nameOf(${id})`),
    arrives: async (role, name) => {
      const untilMs = performance.now() + PATIENCE_MS;
      for (;;) {
        const stop = await focused();
        if (isIt(stop, role, name)) return;
        assert.ok(
          performance.now() < untilMs,
          `the focus is on ${stop?.what ?? "nothing"}, not on ${role} ${String(name)}`,
        );
        await page.waitForTimeout(20);
      }
    },
    survey: () => ask("survey()"),
    remaining: (of) => ask(`remaining(${JSON.stringify(of.map(({ id }) => id))})`),
  };
}

async function goTo(
  { page, press, focused }: Pick<Keys, "page" | "press" | "focused">,
  key: string,
  name: string,
): Promise<void> {
  for (let i = 0; i < ARROWS_MAX; i++) {
    const before = (await focused())?.name;
    if (before === name) return;
    await press(key);
    const untilMs = performance.now() + PATIENCE_MS;
    while ((await focused())?.name === before) {
      assert.ok(performance.now() < untilMs, `${key} does not move the focus from ${before ?? "nothing"}`);
      await page.waitForTimeout(20);
    }
  }
  throw new Error(`${key} does not lead to ${name}`);
}
