import { lineAt, type Rule, type SourceFile } from "./files.ts";

/** Phrases that must not come back, each with plain words instead. `docs/glossary.md` has the product's terms. */
const TURNS: readonly (readonly [turn: RegExp, instead: string])[] = [
  [/\b(?:who|what)ever\b/gi, "name the person or the thing: everybody who, any, every"],
  [
    /\bwhat (?:is|are|was|were|comes|came|says|said|stands|holds|goes)\b/gi,
    "use a noun: the error, the content, deleted files",
  ],
  [/\bof (?:its|their|his|her|our|your|one['’]s) own\b/gi, "write own before the noun, or separate"],
  [/\b(?:is|are|was|were|be|been|being) told\b/gi, "write gets a message, is shown, is reported"],
  [/\bby which\b/gi, "write that, or two sentences"],
  [/\bthat which\b/gi, "use a noun"],
  [/\bthe more\b[^.\n]*\bthe more\b/gi, "write two sentences"],
  [/\bbesides\b/gi, "write in addition to, or other than"],
  [/(?:(?:\/\*\*?|\/\/|[.!?:])\s+|["'`>]\s*|^)Of (?!course)[a-z]/gm, "begin the sentence with its subject"],
  [/\bhanding[- ]?on\b/gi, "write delivery or forward"],
  [/\btakeRoom\b/g, "write reserveQuota"],
  [/\bletTheRestPass\b/g, "write drainBody"],
  [/\b(?:unsound\w*|requireSound\w*)\b/gi, "write invalid, validate"],
  [/\bholdingsOf\b/g, "write permissionsOf"],
  [/\bpresent (?:version|address|state|role|permission|scope|key|owner|entry|one)s?\b/gi, "write current"],
  [/(?<!\b[Tt]here[\s*/]+)\b(?:is|are|was|were) no (?!longer\b|more\b)[a-z]/g, "write is not a"],
  [/\b(?:once more|anew)\b/gi, "write again"],
  [/\b(?:go|goes|going|went) on\b/gi, "write continue"],
  [/\bset (?:it |both )?right\b/gi, "write correct"],
  [/\bsays? what to do\b/gi, "write names the remedy"],
];

/** The file with the number of remaining places for each folder. It may only shrink. */
export const WORDS_LEFT_PATH = "tools/tidy/words-left.json";

/** These name the turns on purpose, are generated from other files, or describe the past. */
const EXEMPT =
  /^(?:tools\/tidy\/(?:words|rules\.test)\.ts|docs\/glossary\.md|CHANGELOG\.md|openapi\/|.*\.json$|.*\.(?:py|java|go|sum|mod|svg|txt)$)/;

type Counts = Readonly<Record<string, number>>;

/** `server`, `docs`, or `.` for files at the root. Files move within these folders without a change of the counts. */
function folderOf(path: string): string {
  const [folder = ".", ...rest] = path.split("/");
  return rest.length === 0 ? "." : folder;
}

/** `path:line: turn: what to write instead` of each place in a file. */
export function placesIn({ path, text }: SourceFile): string[] {
  if (EXEMPT.test(path)) return [];
  return TURNS.flatMap(([turn, instead]) =>
    [...text.matchAll(turn)].map((match) => {
      const index = match.index + match[0].search(/\w/);
      return `${path}:${lineAt(text, index)}: ${match[0].trim()}: ${instead}`;
    }),
  );
}

function placesByFolder(files: readonly SourceFile[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const file of files) {
    const found = placesIn(file);
    if (found.length === 0) continue;
    const folder = folderOf(file.path);
    places.set(folder, [...(places.get(folder) ?? []), ...found]);
  }
  return places;
}

function countsLeft(files: readonly SourceFile[]): Counts {
  const file = files.find(({ path }) => path === WORDS_LEFT_PATH);
  return file === undefined ? {} : (JSON.parse(file.text) as Counts);
}

/** The counts as they must be written down: never more than before. */
export function wordsLeft(files: readonly SourceFile[]): Counts {
  const places = placesByFolder(files);
  const entries = Object.entries(countsLeft(files)).map(
    ([folder, count]) => [folder, Math.min(count, places.get(folder)?.length ?? 0)] as const,
  );
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

/** Plain words: no place in a folder that is done; no more places than recorded in the others. */
export const plainWords: Rule = {
  name: "plain-words",
  check: (files) => {
    const places = placesByFolder(files);
    const left = countsLeft(files);
    return [...new Set([...places.keys(), ...Object.keys(left)])].flatMap((folder) => {
      const found = places.get(folder) ?? [];
      const most = left[folder] ?? 0;
      if (found.length === most) return [];
      if (found.length < most)
        return [`${folder}: ${found.length} places are left and ${most} are written down; run npm run generate`];
      if (most === 0) return found;
      return [
        `${folder}: ${found.length} places, at most ${most}; to see new ones: node tools/run.mjs tools/words.ts REF`,
      ];
    });
  },
};
