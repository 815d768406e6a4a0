/** A person who uses only the keyboard: presses keys, and sees the focus. */
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

/** The visible facts about the focus. */
export interface Stop {
  readonly id: number;
  /** The widget within which the arrow keys move, or null. */
  readonly composite: string | null;
  /** The tag of the page's part that contains it. */
  readonly region: string;
  /** Whether it is within the open dialog or menu, if there is one. */
  readonly inScope: boolean;
  /** Whether an outline shows the focus. */
  readonly ring: boolean;
  /** Whether it is not completely covered. */
  readonly hit: boolean;
  readonly place: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
}

export type Usable = Pick<Stop, "id" | "composite">;

type Wanted = string | RegExp;

export interface Keys {
  readonly page: Page;
  /** Presses keys one after the other, by Playwright's names: `Control+Enter`. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Presses Tab until the focus is on an element with this role and name. A name in letters is the whole name. */
  tabTo(role: string, name: Wanted): Promise<Focused>;
  /** Moves there, and presses Enter. */
  take(role: string, name: Wanted): Promise<void>;
  /** Moves to a field, and types over its content. */
  fill(name: Wanted, text: string): Promise<void>;
  focused(): Promise<Focused | null>;
  /** Presses an arrow key until the focus is on the element with this name. Waits each time until the focus has moved. */
  goTo(key: string, name: string): Promise<void>;
  /** Presses Tab, past the parts of a date. Returns the next stop; null at the end of the page. */
  tab(): Promise<Stop | null>;
  /** Returns the role and name of a stop or of a survey's element. */
  nameOf(id: number): Promise<string>;
  /** Waits until the focus has moved there by itself. */
  arrives(role: string, name: Wanted): Promise<void>;
  survey(): Promise<readonly Usable[]>;
  /** Returns the elements that are still visible. */
  remaining(of: readonly Usable[]): Promise<readonly string[]>;
}

const STOPS_MAX = 400;
const ARROWS_MAX = 20;
/** Year, month, day, hour, minute, second, half of the day, and the button of the calendar. */
const DATE_PARTS_MAX = 9;
const PATIENCE_MS = 20_000;

/** Must be called before the page opens an address. */
export async function useKeys(page: Page): Promise<Keys> {
  await page.addInitScript({ path: join(import.meta.dirname, "keyboard-in-page.js") });
  const ask = async <T>(what: string): Promise<T> => page.evaluate<T>(`keyboardSurvey.${what}`);
  const focused = async (): Promise<Focused | null> => ask("focused()");
  const isIt = (stop: Focused | null, role: string, name: Wanted): boolean =>
    stop !== null && stop.role === role && (typeof name === "string" ? stop.name === name : name.test(stop.name));
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The target may still be loading, so it tries until the deadline. */
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
      const from: number | null = await ask("dateField()");
      let stop: Stop | null = null;
      for (let part = 0; part < DATE_PARTS_MAX; part++) {
        await press("Tab");
        stop = await ask("stop()");
        if (from === null || stop?.id !== from) break;
      }
      return stop;
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
