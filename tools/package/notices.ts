import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exceptionOf, isAllowed } from "../lock/licences.ts";

interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly texts: readonly string[];
}

const TEXT_FILE = /^(licen[cs]e|copying|notice)/i;

/** Returns the directories of the installed packages that contain these modules, without our own modules. */
export function packageDirectories(modules: Iterable<string>): ReadonlySet<string> {
  return new Set([...modules].map(packageDirectoryOf).filter((each) => each !== null));
}

function packageDirectoryOf(module: string): string | null {
  const file = module.replace(/^\0/, "").split("?")[0] ?? "";
  if (!file.includes("/node_modules/")) return null;
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    if (isPackage(directory)) return directory;
    if (directory.endsWith("/node_modules")) throw new Error(`cannot bundle ${file}: it belongs to no package`);
  }
}

/** Some packages have further manifests in their folders, without a version. */
function isPackage(directory: string): boolean {
  const path = join(directory, "package.json");
  if (!existsSync(path)) return false;
  const { name, version } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  return name !== undefined && version !== undefined;
}

/**
 * Returns the licences of third-party packages whose code is in `subject`, as Markdown.
 * @throws Error when a package does not state its licence, or has one that must not be in what we publish
 */
export function noticesPage(subject: string, directories: Iterable<string>): string {
  const notices = [...directories].map(noticeOf);
  const unique = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  const parts = [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { licence, texts }]) => {
      const quoted = texts.map((text) => `\n\`\`\`\`text\n${text.trim()}\n\`\`\`\`\n`);
      return `## ${title}\n\nLicence: ${licence}\n${quoted.join("")}`;
    });
  const about = parts.length === 0 ? "contains no code of other packages" : "contains code of the following packages";
  return `# Third-party notices\n\n${subject} ${about}.\n\n${parts.join("\n")}`;
}

function noticeOf(directory: string): Notice {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<string, string>;
  const { name = "", version = "" } = manifest;
  const files = readdirSync(directory)
    .filter((file) => TEXT_FILE.test(file))
    .toSorted();
  const texts = files.map((file) => readFileSync(join(directory, file), "utf8"));
  return { name, version, licence: publishableLicence(name, manifest["license"]), texts };
}

/** @throws Error when code with this licence must not be in what we publish */
function publishableLicence(name: string, stated: string | undefined): string {
  if (stated !== undefined && isAllowed(stated)) return stated;
  const exception = exceptionOf(name);
  if (exception?.mayBePublished === true) return exception.licence;
  const licence = stated === undefined ? "it does not state its licence" : `its licence is ${stated}`;
  throw new Error(`cannot publish code of ${name}: ${licence}; see tools/lock/licences.ts`);
}
