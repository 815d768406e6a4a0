import { readFile } from "node:fs/promises";
import { sha256Hex } from "#kernel/digest.ts";

export interface Page {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

/** Nothing but our own script and style; no frame around it, nowhere to send a form to, no address passed on. */
export const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
} as const;

const TYPES = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" } as const;

const FILES: readonly (readonly [path: string, file: string, type: keyof typeof TYPES])[] = [
  ["/", "home.html", "html"],
  ["/setup", "setup.html", "html"],
  ["/invitation", "invitation.html", "html"],
  ["/portal/first-run.css", "first-run.css", "css"],
  ["/portal/first-run.js", "first-run.mjs", "js"],
  ["/favicon.svg", "favicon.svg", "svg"],
];

/** Every page by its path, read once. `{{name}}` in a page is the address of that name. */
export async function loadPages(addresses: Readonly<Record<string, string>>): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  for (const [path, file, type] of FILES) {
    const text = await readFile(new URL(`./pages/${file}`, import.meta.url), "utf8");
    const body = type === "html" ? filledIn(text, addresses) : text;
    pages.set(path, { type: `${TYPES[type]}; charset=utf-8`, body, etag: `"${sha256Hex(body).slice(0, 32)}"` });
  }
  return pages;
}

function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([a-z_0-9]+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`cannot load the pages: there is no value for ${name}`);
    return escaped(value);
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
