import assert from "node:assert/strict";
import { test } from "node:test";
import { PROBLEMS } from "../../server/src/http/problems.ts";
import { COMMANDS } from "../../server/src/app/commands/index.ts";
import { renderErrors } from "../generate/errors-page.ts";
import { isCode, unreadFiles, type SourceFile } from "./files.ts";
import { longSubjects } from "./commits.ts";
import { TIDY_RULES } from "./rules.ts";
import { REPEATING } from "./timers.ts";
import { WORDS_LEFT_PATH, wordsLeft } from "./words.ts";

type Files = Readonly<Record<string, string>>;

/** Examples of a rule: files that break it, each with its finding, and files that almost break it. */
interface Example {
  readonly caught: readonly (readonly [files: Files, finding: RegExp])[];
  readonly fine: readonly Files[];
}

const A = "server/src/kernel/a.ts";
const S = "server/src/domain/a/store.ts";
const TEST = "server/src/kernel/a.test.ts";
const ERRORS_PAGE = renderErrors(PROBLEMS);
const TREE = (tree: string): string =>
  `# A\n\n## The tree\n\n\`\`\`\n${tree}\n\`\`\`\n\n\`docs/\`\n`.replace("tree\n\n```\n", "tree\n\n```\ndocs/\n");
const COMMAND_TABLE = `| command | a |\n| --- | --- |\n${COMMANDS.map(({ name }) => `| \`${name}\` | x |\n`).join("")}\n`;
const TABLES: Files = {
  "server/src/stores/metadata/schema.ts":
    "export interface Tables {\n  a: {\n    id: string;\n  };\n  b: { id: string };\n}\n",
};
const lines = (count: number): string => "f();\n".repeat(count);
// Joined, so that the rules do not find them in this file.
const todo = (rest: string): string => `// TO${"DO"}${rest}\n`;
const home = (name: string): string => `"/${name}/x"`;

const SURFACE: Files = {
  "server/src/surfaces/x/README.md": "# X\n",
  "server/src/surfaces/x/index.ts": "",
  "server/src/surfaces/x/deps.ts": "",
  "server/src/surfaces/x/routes.ts":
    'import { get } from "./operations/get.ts";\nimport { mount } from "#http/index.ts";\n',
  "server/src/surfaces/x/operations/get.ts": "",
  "server/src/surfaces/x/operations/get.test.ts": "",
};
const SURFACE_WITHOUT = (path: string): Files =>
  Object.fromEntries(Object.entries(SURFACE).filter(([name]) => name !== `server/src/surfaces/x/${path}`));

const SCHEDULE = "server/src/stores/jobs/schedule.ts";
const SLEEP = 'import { setTimeout as delay } from "node:timers/promises";\n';
const REPEATING_ELSEWHERE = Object.fromEntries(Object.keys(REPEATING).map((path) => [path, "setInterval(f, 5);\n"]));

const EXAMPLES: Readonly<Record<string, Example>> = {
  "function-length": {
    caught: [
      [
        { "portal/src/a.tsx": `function a() {\n${lines(69)}return <p>a</p>;}\n` },
        /a\.tsx:1: the function has 71 lines/,
      ],
      [{ [A]: `// é\nfunction a() {\n${lines(69)}}\n` }, /a\.ts:2: the function has 71 lines/],
      [{ [A]: `class A {\n  #b() {\n${lines(69)}}\n}\n` }, /a\.ts:2:/],
      [{ [A]: `const a = { b: () => {\n${lines(69)}} };\n` }, /a\.ts:1:/],
    ],
    fine: [{ [A]: `function a() {\n${lines(68)}}\n` }, { [TEST]: `describe("a", () => {\n${lines(100)}});\n` }],
  },
  "periodic-work": {
    caught: [
      [{ [A]: "// é\nsetInterval(() => f(), 5);\n" }, /a\.ts:2: setInterval; add the work to the schedule/],
      [
        { [A]: "class A {\n  #run() {\n    this.#timer = setTimeout(() => this.#run(), 5);\n  }\n}\n" },
        /a\.ts:3: a setTimeout that restarts itself/,
      ],
      [
        {
          [A]: "class A {\n  b() { setTimeout(() => void this.#c(), 5); }\n  async #c() { await f(); this.b(); }\n}\n",
        },
        /a\.ts:2: a setTimeout that restarts itself/,
      ],
      [{ [A]: "function a() {\n  setTimeout(a, 5);\n}\n" }, /a\.ts:2: a setTimeout that restarts itself/],
      [{ [A]: `${SLEEP}while (!stopped) await delay(5);\n` }, /a\.ts:2: an endless loop that sleeps/],
      [{ [A]: `${SLEEP}for (;;) { await delay(5); }\n` }, /a\.ts:2: an endless loop that sleeps/],
      [{ [SCHEDULE]: "f();\n" }, /pool\.ts has no repeating timer any more/],
    ],
    fine: [
      { [SCHEDULE]: "setInterval(f, 5);\n", ...REPEATING_ELSEWHERE },
      { [TEST]: "setInterval(f, 5);\n", "portal/src/a.ts": "setInterval(f, 5);\n" },
      { [A]: "class A {\n  b() { setTimeout(() => this.#c(), 5); }\n  #c() { f(); }\n}\n" },
      { [A]: `${SLEEP}for (let tries = 0; ; tries++) await delay(5);\nfor (const a of b) await delay(5);\n` },
    ],
  },
  "file-length": {
    caught: [
      [{ [A]: lines(401) }, /401 lines, at most 400/],
      [{ [TEST]: lines(801) }, /801 lines, at most 800/],
    ],
    fine: [{ [A]: lines(400), [TEST]: lines(800), "docs/a.md": lines(900) }],
  },
  "unwanted-syntax": {
    caught: [
      [{ [A]: "export default 1;\n" }, /a\.ts:1: a default export/],
      [{ [A]: "\nexport default function a() {}\n" }, /a\.ts:2: a default export/],
      [{ [A]: "enum A { B }\n" }, /an enum/],
      [{ [A]: "namespace A {}\n" }, /a namespace/],
    ],
    fine: [
      { [A]: 'export const a = 1;\ndeclare module "fastify" {}\n', "portal/vite.config.ts": "export default 1;\n" },
    ],
  },
  clock: {
    caught: [
      [{ [A]: "\nconst a = Date.now();\n" }, /a\.ts:2: Date\.now/],
      [{ [A]: "const a = new Date();\n" }, /new Date\(\) reads/],
    ],
    fine: [
      { [A]: 'const a = new Date(0); // Date.now()\nconst b = "Date.now()";\n' },
      {
        "server/src/kernel/time.ts": "Date.now();\n",
        "portal/src/a.ts": "Date.now();\n",
        [TEST]: "Date.now();\n",
        "tools/a.ts": "Date.now();\n",
      },
    ],
  },
  environment: {
    caught: [[{ [A]: "const a = process.env.HOME;\n" }, /app\/config\.ts/]],
    fine: [
      { "server/src/app/config.ts": "process.env.A;\n", "tools/a.ts": "process.env.A;\n", [A]: "process.exit;\n" },
    ],
  },
  output: {
    caught: [[{ [A]: 'console.log("a");\n' }, /console\.log/]],
    fine: [{ "server/src/main.ts": "console.log();\n", "server/src/app/commands/serve.ts": "console.error();\n" }],
  },
  "skipped-tests": {
    caught: [
      [{ [TEST]: 'test.only("a", f);\n' }, /test\.only/],
      [{ [TEST]: 'it.skip("a", f);\n' }, /it\.skip/],
      [{ [TEST]: "test('a', (t) => t.skip());\n" }, /t\.skip\(\) without a reason/],
      [{ [TEST]: 'test("a", { skip: true }, f);\n' }, /skip: true/],
      [{ [TEST]: 'test("a", { only: true }, f);\n' }, /only: true/],
    ],
    fine: [{ [TEST]: 'test("a", { skip: "no database" }, (t) => t.skip("why"));\n', [A]: "list.skip();\n" }],
  },
  "open-work": {
    caught: [
      [{ [A]: todo(" later") }, /a\.ts:1: /],
      [{ [A]: `\n${todo("(): x")}` }, /a\.ts:2: /],
      [{ [A]: `// FIX${"ME"}(when x): y\n` }, /a\.ts:1: /],
    ],
    fine: [{ [A]: todo("(when Node 26 is the oldest): drop this") }],
  },
  "machine-paths": {
    caught: [["root", "home", "work"].map((name): Files => ({ [A]: `\nconst a = ${home(name)};\n` }))].flatMap((all) =>
      all.map((files) => [files, /a\.ts:2: .*a path of one machine/] as const),
    ),
    fine: [{ [A]: 'const a = "https://x.test/home/y"; const b = "./work/y"; const c = `${x}/home/y`;\n' }],
  },
  "registry-hosts": {
    caught: [[{ "docs/a.md": `# A\nhttps://${"registry"}.host.test/a\n` }, /a\.md:2: /]],
    fine: [{ "docs/a.md": "# A\nhttps://registry.example.com\n" }],
  },
  "lock-file-hosts": {
    caught: [[{ "package-lock.json": '{\n"resolved": "https://a.test/b.tgz"\n}' }, /package-lock\.json:2: /]],
    fine: [{ "package-lock.json": '"resolved": "contract", "funding": "https://a.test"' }],
  },
  "lock-file-sound": {
    caught: [
      [
        { "package-lock.json": '{"packages":{"":{"optionalDependencies":{"a-linux-x64":"1.0.0"}}}}' },
        /a-linux-x64@1\.0\.0, which package\.json names, has no entry/,
      ],
      [
        { "package-lock.json": '{"packages":{"node_modules/a":{"version":"1.0.0"}}}' },
        /a@1\.0\.0 has no sha512 integrity/,
      ],
      [{ "package-lock.json": '{"packages":{"node_modules/a":{"license":"GPL-3.0-only"}}}' }, /GPL-3\.0-only/],
    ],
    fine: [{ "package-lock.json": '{"packages":{"":{}}}' }],
  },
  "registry-settings": {
    caught: [
      [{ ".npmrc": "registry=https://a.test/\n" }, /\.npmrc:1: /],
      [{ ".npmrc": "a=b\n//a.test/:_x=y\n" }, /\.npmrc:2: /],
    ],
    fine: [{ ".npmrc": "save-exact=true\nomit-lockfile-registry-resolved=true\n" }],
  },
  "lint-disable": {
    caught: [[{ [A]: `// oxlint-${"disable"}-next-line no-var\n` }, /say why/]],
    fine: [{ [A]: `// oxlint-${"disable"}-next-line no-var -- the parser needs it\n` }],
  },
  "surface-files": {
    caught: [
      [SURFACE_WITHOUT("README.md"), /x\/: README\.md is missing/],
      [SURFACE_WITHOUT("index.ts"), /x\/: index\.ts is missing/],
      [SURFACE_WITHOUT("deps.ts"), /x\/: deps\.ts is missing/],
      [SURFACE_WITHOUT("routes.ts"), /x\/: errors\.ts, or/],
      [{ "server/src/surfaces/x/index.ts": "" }, /x\/: operations\/ is missing/],
    ],
    fine: [SURFACE],
  },
  "surface-operations": {
    caught: [
      [{ ...SURFACE, "server/src/surfaces/x/routes.ts": "" }, /get\.ts: routes\.ts does not use it/],
      [SURFACE_WITHOUT("operations/get.test.ts"), /get\.ts: has no test beside it/],
    ],
    fine: [SURFACE],
  },
  "one-title": {
    caught: [
      [{ "docs/a.md": "# A\n# B\n" }, /has 2 titles/],
      [{ "docs/a.md": "text\n" }, /has 0 titles/],
      [{ "docs/a.md": "text\n# A\n" }, /does not start/],
    ],
    fine: [{ "docs/a.md": "# A\n```sh\n# comment\n```\n## B\n" }],
  },
  "folder-tree": {
    caught: [
      [{ "docs/architecture.md": TREE("tools/  a"), "tools/a.ts": "", "x/a.ts": "" }, /tree lacks x\//],
      [
        { "docs/architecture.md": TREE("server/src/\n  gone/  a"), "server/src/main.ts": "" },
        /server\/src\/gone\/, which/,
      ],
      [
        { "docs/architecture.md": TREE("server/src/\n  a/  b"), "server/src/a/a.ts": "", "server/src/b/b.ts": "" },
        /src\/b\//,
      ],
    ],
    fine: [{ "docs/architecture.md": TREE("docs/\nserver/src/\n  main.ts  x\n  a/  b"), "server/src/a/a.ts": "" }, {}],
  },
  "command-table": {
    caught: [
      [{ "README.md": COMMAND_TABLE.replace(/^\| `serve`.*\n/m, "") }, /the command serve is missing/],
      [
        { "README.md": COMMAND_TABLE.replace("`serve`", "`serve` | a |\n| `invented all`") },
        /invented is not a command/,
      ],
    ],
    fine: [{ "README.md": COMMAND_TABLE }],
  },
  "not-yet": {
    caught: [
      [{ "README.md": "Not yet: a thing.\n" }, /"a thing" has no sign/],
      [{ "README.md": "# A\n" }, /"telemetry spread over several servers" is missing/],
      [
        {
          "README.md": "Not yet: telemetry spread over several servers.\n",
          "server/src/stores/telemetry/a.ts": 'import { a } from "#stores/objects/index.ts";\n',
        },
        /"telemetry spread over several servers" works/,
      ],
    ],
    fine: [{ "README.md": "Not yet: telemetry spread over\nseveral servers.\n", [A]: "" }, {}],
  },
  "tables-are-read": {
    caught: [
      [{ ...TABLES, [A]: 'tx.insertInto("b"); tx.selectFrom("a");\n' }, /the table b is never read/],
      [{ ...TABLES, [A]: "sql`DELETE FROM b`; sql`SELECT * FROM a`;\n" }, /the table b is never read/],
      [{ ...TABLES, [TEST]: 'tx.selectFrom("b");\n' }, /the table b is never read/],
      [{ ...TABLES, [A]: 'tx.selectFrom("a"); const row = { table: "b" };\n' }, /the table b is never read/],
    ],
    fine: [
      { ...TABLES, [A]: 'tx.selectFrom("a").innerJoin("b as c", "x", "y");\n' },
      {},
      { ...TABLES, [A]: 'tx.selectFrom("a");\n', "server/src/domain/quotas/kinds.ts": 'const row = { table: "b" };\n' },
    ],
  },
  "projects-in-one-place": {
    caught: [
      [
        { [S]: 'db.selectFrom("project").select("id");\n' },
        /store\.ts:1: use the functions of server\/src\/domain\/projects\/index\.ts/,
      ],
      [{ [S]: '\ndb.leftJoin("project as p", "p.id", "x");\n' }, /store\.ts:2:/],
      [{ [S]: "sql`select 1 from project where id = 1`;\n" }, /store\.ts:1:/],
      [{ [S]: "sql`project where org_id = 1`;\n" }, /store\.ts:1:/],
      [{ [S]: 'type A = Tables["project"]["visibility"];\n' }, /store\.ts:1:/],
      [{ [S]: 'where("project.state", "=", "active");\n' }, /store\.ts:1:/],
      [{ [S]: 'where("project.state_since", "is", null);\n' }, /store\.ts:1:/],
      [{ "server/src/domain/limits/store.ts": "f();\n" }, /remove it from projects-in-one-place/],
    ],
    fine: [
      {
        [S]: 'db.selectFrom("project_member"); // from project to app\nlist("project");\n',
        "server/src/domain/a/store.test.ts": 'db.selectFrom("project");\n',
        "server/src/domain/projects/store.ts": 'db.selectFrom("project");\n',
        "server/src/domain/limits/store.ts": "sql`project where org_id = 1`;\n",
      },
    ],
  },
  "credentials-in-one-place": {
    caught: [
      [
        { [S]: 'db.selectFrom("credential").select("id");\n' },
        /store\.ts:1: use the functions of server\/src\/domain\/identity/,
      ],
      [{ [S]: '\ndb.leftJoin("s3_key as k", "k.id", "x");\n' }, /store\.ts:2:/],
      [{ [S]: "sql`update s3_key set x = 1`;\n" }, /store\.ts:1:/],
      [{ "server/src/domain/identity/federation/store.ts": "f();\n" }, /remove it from credentials-in-one-place/],
    ],
    fine: [
      {
        [S]: 'db.selectFrom("credential_trust"); // from credential to token\nlist("s3_key");\n',
        "server/src/domain/a/store.test.ts": 'db.selectFrom("credential");\n',
        "server/src/domain/identity/credentials/store.ts": 'db.selectFrom("s3_key");\n',
        "server/src/domain/identity/federation/store.ts": 'db.innerJoin("credential as c");\n',
        "server/src/domain/limits/store.ts": "sql`s3_key where org_id = 1`;\n",
      },
    ],
  },
  "plain-words": {
    caught: [
      ...[
        "// Who" + "ever asks",
        "/** Wh" + "at is wrong */",
        "// a file of" + " its own",
        "// nobody is" + " told",
        "// the name by" + " which it goes",
        "/** O" + "f a file. */",
        "const take" + "Room = 1;",
        "const handing" + "On = 1;",
        "// the pre" + "sent version",
        "// text that is" + " no number",
        "// asks once" + " more",
        "// and the server goes" + " on",
        "// until the clock is set" + " right",
        "// an error that says what" + " to do",
      ].map((text) => [{ "portal/src/a.tsx": `\n${text}\n` }, /portal\/src\/a\.tsx:2: /] as const),
      [{ "docs/a.md": "# A\n\nO" + "f these two.\n" }, /docs\/a\.md:3: Of t/],
      [{ "docs/a.md": "whatever whatever", [WORDS_LEFT_PATH]: '{"docs": 1}' }, /^docs: 2 places, at most 1/],
      [{ "docs/a.md": "plain", [WORDS_LEFT_PATH]: '{"docs": 1}' }, /docs: 0 places are left and 1 are written down/],
    ],
    fine: [
      {
        "docs/a.md":
          "# A\nWhat does it do? Proof of the file. Of course. There is no file, and it is no longer needed.\n",
      },
      { "server/src/a.ts": "/**\n * Returns null if there\n * is no backup.\n */\n" },
      { "docs/a.md": "whatever", [WORDS_LEFT_PATH]: '{"docs": 1}' },
    ],
  },
  links: {
    caught: [[{ "docs/a.md": "# A\n[b](b.md)\n" }, /links to b\.md/]],
    fine: [{ "docs/a.md": "# A\n[b](../b.md#x) [c](https://a.test/) [d](#a) [e](../docs/)\n", "b.md": "# B\n" }],
  },
  "page-index": {
    caught: [
      [
        { "docs/README.md": "# A\n[b](how-to/b.md)\n", "docs/how-to/c.md": "# C\n" },
        /how-to\/c\.md: docs\/README\.md does not link/,
      ],
      [{ "docs/README.md": "# A\n[b](b.md)\n", "docs/b.md": "# B\n" }, /docs\/b\.md: put it into/],
    ],
    fine: [{ "docs/README.md": "# A\n[b](how-to/b.md#x)\n", "docs/how-to/b.md": "# B\n", "server/README.md": "# C\n" }],
  },
  "error-codes": {
    caught: [
      [{ "docs/reference/errors.md": ERRORS_PAGE.replace(/^\| `not_found`.*\n/m, "") }, /not_found is missing/],
      [{ "docs/reference/errors.md": `${ERRORS_PAGE}| \`invented\` | 400 | x |\n` }, /invented is not in/],
      [{}, /not_found is missing/],
    ],
    fine: [{ "docs/reference/errors.md": ERRORS_PAGE }],
  },
};

test("long subjects of commits are found", () => {
  const commit = (length: number) => ({ hash: "abc", subject: "x".repeat(length) });
  assert.equal(longSubjects([commit(72)]).length, 0);
  assert.match(longSubjects([commit(72), commit(73)]).join(), /^abc: 73 characters, at most 72: x+$/);
});

test("a count of words left only shrinks", () => {
  const files = listOf({ "docs/a.md": "# A\nWhatever\n", [WORDS_LEFT_PATH]: '{"docs": 5, "tests": 2}' });
  assert.deepEqual(wordsLeft(files), { docs: 1 });
  const grown = listOf({ "docs/a.md": "# A\nWhatever, whoever\n", [WORDS_LEFT_PATH]: '{"docs": 1}' });
  assert.deepEqual(wordsLeft(grown), { docs: 1 });
});

function listOf(files: Files): SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

test("a tracked file that may have code and was not read is found", () => {
  const tracked = ["a.ts", "portal/src/a.tsx", "a.mjs", "a.cjs", "a.vue", "run", "docs/a.md", "LICENSE", "a.png"];
  assert.deepEqual(unreadFiles(tracked, new Set(["a.ts"])), ["portal/src/a.tsx", "a.mjs", "a.cjs", "a.vue", "run"]);
  assert.deepEqual(unreadFiles(tracked, new Set(tracked.filter(isCode))), ["a.vue", "run"]);
});

test("every rule has examples", () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), TIDY_RULES.map((rule) => rule.name).sort());
});

for (const rule of TIDY_RULES) {
  test(`${rule.name} finds its violations, and nothing else`, () => {
    const { caught, fine } = EXAMPLES[rule.name] ?? { caught: [], fine: [] };
    assert.ok(caught.length > 0 && fine.length > 0);
    for (const [files, finding] of caught) assert.match(rule.check(listOf(files)).join("\n"), finding);
    for (const files of fine) assert.deepEqual(rule.check(listOf(files)), []);
  });
}
