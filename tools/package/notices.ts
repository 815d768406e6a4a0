import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly texts: readonly string[];
}

const TEXT_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Returns the licences of the third-party code in a package, as Markdown. @throws Error if a third party's package
 * names no licence
 */
export function noticesPage(directories: Iterable<string>): string {
  const notices = [...directories].map(noticeOf);
  const unique = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  const parts = [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { license, texts }]) => {
      const quoted = texts.map((text) => `\n\`\`\`\`text\n${text.trim()}\n\`\`\`\`\n`);
      return `## ${title}\n\nLicence: ${license}\n${quoted.join("")}`;
    });
  return `# Third-party notices\n\nThis package has code of the following packages.\n\n${parts.join("\n")}`;
}

function noticeOf(directory: string): Notice {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<string, unknown>;
  const { name, version, license } = manifest as { name: string; version: string; license?: string };
  if (license === undefined) throw new Error(`cannot write the notices: ${name} names no licence`);
  const files = readdirSync(directory)
    .filter((file) => TEXT_FILE.test(file))
    .toSorted();
  return { name, version, license, texts: files.map((file) => readFileSync(join(directory, file), "utf8")) };
}
