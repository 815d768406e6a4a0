/**
 * Returns the section of a version in the changelog, without its title. For a dry run, the section of changes that are not
 * released yet takes its place.
 * @throws Error when there is none, or when it is empty
 */
export function notesOf(changelog: string, version: string, { isDry }: { isDry: boolean }): string {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map((section) => [/^\[([^\]]+)\]/.exec(section)?.[1] ?? "", section.replace(/^.*\n/, "").trim()] as const),
  );
  const titles = isDry ? [version, "Unreleased"] : [version];
  const notes = titles.map((title) => sections.get(title)).find((text) => text !== undefined && text !== "");
  if (notes !== undefined) return `# Mooring ${version}\n\n${notes}\n`;
  throw new Error(
    `cannot release ${version}: CHANGELOG.md has no section "## [${version}]" with a line; rename "## [Unreleased]" and commit`,
  );
}
