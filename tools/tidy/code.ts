import { isCode, isTest, type Rule } from "./files.ts";
import { dottedName, isNode, linesOf, nodeRule, type Node, type NodeRule } from "./syntax.ts";

const FUNCTION_LINES_MAX = 70;
const FILE_LINES_MAX = 400;
const TEST_FILE_LINES_MAX = 800;

const FUNCTIONS = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ClassMethod",
  "PrivateMethod",
  "MethodProperty",
  "Constructor",
]);

const functionLength = nodeRule("function-length", (node, file, parents) => {
  if (!FUNCTIONS.has(node.type) || isSuiteBody(parents)) return undefined;
  const { first, last } = linesOf(file, node);
  const lines = last - first + 1;
  return lines > FUNCTION_LINES_MAX ? `the function has ${lines} lines, at most ${FUNCTION_LINES_MAX}` : undefined;
});

/** The body of `describe` only lists tests, so it may be long. */
function isSuiteBody(parents: readonly Node[]): boolean {
  const call = parents.at(-1);
  return call?.type === "CallExpression" && /^(describe|suite)$/.test(dottedName(call["callee"]) ?? "");
}

const fileLength: Rule = {
  name: "file-length",
  check: (files) =>
    files
      .filter(({ path }) => isCode(path))
      .flatMap(({ path, text }) => {
        const lines = text.split("\n").length - 1;
        const max = isTest(path) ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
        return lines > max ? [`${path}: the file has ${lines} lines, at most ${max}`] : [];
      }),
};

const UNWANTED: Readonly<Record<string, string>> = {
  ExportDefaultExpression: "a default export; export a name",
  ExportDefaultDeclaration: "a default export; export a name",
  TsEnumDeclaration: "an enum; use a union of literals",
};

const unwantedSyntax = nodeRule(
  "unwanted-syntax",
  (node) => (isNamespace(node) ? "a namespace; use a module" : UNWANTED[node.type]),
  // Vite reads the default export of this file.
  (path) => !/^portal\/\w+\.config\.ts$/.test(path),
);

/** `namespace N {}`, not `declare module "package" {}`, which adds to a package's types. */
function isNamespace(node: Node): boolean {
  return node.type === "TsModuleDeclaration" && isNode(node["id"]) && node["id"].type === "Identifier";
}

/** Whether the rules about clock, environment and output apply. */
function isProduct(path: string): boolean {
  return /^(contract|server|client|portal)\/src\//.test(path) && !isTest(path);
}

const clock = nodeRule(
  "clock",
  (node) => {
    if (node.type === "CallExpression" && dottedName(node["callee"]) === "Date.now") {
      return "Date.now(); take a Clock from #kernel/time.ts";
    }
    const isBareDate =
      node.type === "NewExpression" && dottedName(node["callee"]) === "Date" && isEmpty(node["arguments"]);
    return isBareDate ? "new Date() reads the clock; take a Clock from #kernel/time.ts" : undefined;
  },
  // A page shows the time of its device, and the portal's tests set that time.
  (path) => isProduct(path) && !/^portal\/|^server\/src\/kernel\/time\.ts$/.test(path),
);

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

const environment = nodeRule(
  "environment",
  (node) => (dottedName(node) === "process.env" ? "process.env; only app/config.ts reads the environment" : undefined),
  (path) => isProduct(path) && path !== "server/src/app/config.ts",
);

const output = nodeRule(
  "output",
  (node) => {
    const name = node.type === "CallExpression" ? dottedName(node["callee"]) : undefined;
    return name?.startsWith("console.") === true ? `${name}; log with the logger that you are given` : undefined;
  },
  (path) => isProduct(path) && !/^server\/src\/(app\/commands\/|main\.ts)/.test(path),
);

const skippedTests = nodeRule("skipped-tests", wrongSkip, isTest);

function wrongSkip(node: Node): string | undefined {
  if (node.type === "CallExpression") {
    const name = dottedName(node["callee"]) ?? "";
    if (/^(test|it|describe|suite)\.only$/.test(name)) return `${name} leaves the other tests out`;
    if (/^(test|it|describe|suite)\.(skip|todo)$/.test(name)) return `${name}; use { skip: "why" }`;
    if (/^(t|context)\.(skip|todo)$/.test(name) && isEmpty(node["arguments"])) return `${name}() without a reason`;
  }
  if (node.type === "KeyValueProperty") return wrongOption(node["key"], node["value"]);
  return undefined;
}

function wrongOption(key: unknown, value: unknown): string | undefined {
  const name = dottedName(key);
  const isTrue = isNode(value) && value.type === "BooleanLiteral" && value["value"] === true;
  if (!isTrue || (name !== "skip" && name !== "only" && name !== "todo")) return undefined;
  return name === "only" ? "only: true leaves the other tests out" : `${name}: true without a reason`;
}

export const NODE_RULES: readonly NodeRule[] = [
  functionLength,
  unwantedSyntax,
  clock,
  environment,
  output,
  skippedTests,
];

export const CODE_RULES: readonly Rule[] = [...NODE_RULES, fileLength];
