import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { sha256Hex } from "#kernel/digest.ts";
import { resourcePath } from "#kernel/programs.ts";

/** Addresses of the portal's pages. Each gets the same document, whose script shows the page of the address. */
export const PAGE_PATHS = [
  "/",
  "/sign-in",
  "/setup",
  "/reset",
  "/invitation",
  "/account",
  "/authorize",
  "/device",
  "/instance",
  "/o/*",
] as const;

/** The licences of third-party code in the portal, which the build writes. */
export const NOTICES_PATH = "/portal/third-party-notices.txt";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
};

const ABSENT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mooring</title>
<h1>The portal is not built yet</h1><p>Run <code>npm run build</code> in the server's folder, or start it by npm start, which builds the portal. Everything
else works: the API, the registry, S3, webhooks and the command line.</p></html>`;

/** One answer: a file of the build, or the document. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  readonly etag?: string;
}

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/**
 * The portal's build, read into memory when a page is first requested. So the start does not wait for 4 MB, and a later
 * build does not mix with it.
 */
export interface Pages {
  /** Returns the document, with a new nonce for each answer. */
  document(): Promise<Page>;
  /**
   * Returns a file by its path in the build; undefined when there is none. `accepted` is the request's
   * `Accept-Encoding`.
   */
  asset(path: string, accepted: string): Promise<Page | undefined>;
}

export function createPages(directory: string = resourcePath("portal")): Pages {
  let read: Promise<Build> | undefined;
  const build = async (): Promise<Build> => {
    read ??= openBuild(directory).catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    const found = await read;
    if (found.assets.size === 0) read = undefined; // A build may exist later, so its absence is not cached.
    return found;
  };
  return {
    document: async () => {
      const { html } = await build();
      const nonce = randomBytes(16).toString("base64");
      const headers = { ...PAGE_HEADERS, "content-security-policy": policyOf(nonce), "cache-control": "no-store" };
      return { headers: { ...headers, "content-type": TYPES[".html"] ?? "" }, body: html.replace("{{nonce}}", nonce) };
    },
    asset: async (path, accepted) => {
      const asset = (await build()).assets.get(path);
      return asset === undefined || path === "index.html" ? undefined : answerOf(asset, path, accepted);
    },
  };
}

interface Build {
  readonly html: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

async function openBuild(directory: string): Promise<Build> {
  const files = await readFiles(directory);
  const assets = new Map<string, Asset>();
  for (const [name, plain] of files) {
    const type = typeOf(name);
    if (type === undefined) continue;
    const etag = `"${sha256Hex(plain).slice(0, 32)}"`;
    assets.set(name, { type, etag, plain, br: files.get(`${name}.br`), gzip: files.get(`${name}.gz`) });
  }
  return { html: files.get("index.html")?.toString("utf8") ?? ABSENT, assets };
}

function typeOf(name: string): string | undefined {
  return `/${name}` === NOTICES_PATH ? "text/plain; charset=utf-8" : TYPES[extname(name)];
}

/** Empty when there is no build. */
async function readFiles(directory: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  try {
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(directory.length + 1).replaceAll("\\", "/"), await readFile(path));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return files;
}

/** Browsers cache built files for good, since their names change with their content. */
function answerOf(asset: Asset, path: string, accepted: string): Page {
  const [coding, body] =
    asset.br !== undefined && /\bbr\b/.test(accepted)
      ? ["br", asset.br]
      : asset.gzip !== undefined && /\bgzip\b/.test(accepted)
        ? ["gzip", asset.gzip]
        : [undefined, asset.plain];
  const isNamed = path.startsWith("portal/assets/");
  const headers = {
    ...PAGE_HEADERS,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": asset.type,
    "cache-control": isNamed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    ...(coding === undefined ? {} : { "content-encoding": coding }),
  };
  return { headers, body, etag: coding === undefined ? asset.etag : asset.etag.replace(/"$/, `-${coding}"`) };
}

/** Forbids frames, referrers and guesses of the type. */
const PAGE_HEADERS = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
} as const;

/**
 * Allows only our own script, style, fonts and calls (CSP level 3). The nonce allows the style elements of the editor
 * and the dialogs' library. Text never becomes markup (trusted types).
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
