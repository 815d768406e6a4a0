import type { ApiCommand } from "@mooring/contract";
import type { Option } from "../command.ts";
import { fieldsOf, isList, paramsOf, resourceOptionsOf, wordName, type Field } from "./request.ts";

/** Returns the options of a command that come from its row. */
export function optionsOf(command: ApiCommand): readonly Option[] {
  const { row } = command;
  const fields = fieldsOf(row).map(({ option, isFlag }) => (isFlag ? { ...option, negatable: true } : option));
  const more: Option[] = [...resourceOptionsOf(row)];
  if (isList(row))
    more.push(
      { name: "limit", value: "N", description: `the most items (default ${LIMIT_DEFAULT})` },
      { name: "all", description: "print every item as it arrives; with --json one a line" },
    );
  if (row.body !== undefined && row.rawBody !== true)
    more.push({
      name: "input",
      value: "FILE",
      description: "JSON file with the members, or - for standard input; options override it",
    });
  if (row.headers?.includes("If-Match") === true)
    more.push({ name: "if-match", value: "ETAG", description: "change only the version that was read" });
  if (needsConfirmation(command)) more.push({ name: "yes", description: "do not ask" });
  return [...fields, ...more, { name: "json", description: "print the server's answer as JSON" }];
}

export const LIMIT_DEFAULT = 100;

export function needsConfirmation({ row, form }: ApiCommand): boolean {
  return form.confirm ?? row.method === "DELETE";
}

/** Returns the help of one command, without its options. */
export function usageOf(command: ApiCommand): string {
  const { row } = command;
  const head = `Usage: ${[...wordsOf(command), "[options]"].join(" ")}`;
  const needs =
    row.permission === "public"
      ? ""
      : row.permission === "authenticated"
        ? "Needs a sign-in."
        : row.permission === "instance"
          ? "Needs an operator: run mooring login, or set MOORING_TOKEN to an operator token. With --data-dir it needs no server."
          : `Needs the scope ${row.permission}.`;
  const about = [`${row.summary}.`, row.description ?? "", needs].filter((part) => part !== "").join(" ");
  return `${head}\n\n${wrapped(about)}\n\n${examplesOf(command)
    .map((example) => `  ${example}`)
    .join("\n")}`;
}

function wordsOf({ row, noun, verb }: ApiCommand): string[] {
  return ["mooring", noun, verb, ...paramsOf(row).map(wordName)];
}

/** Returns whole command lines: those of the contract, or one with every required part. */
export function examplesOf(command: ApiCommand): readonly string[] {
  const { row, noun, verb, form } = command;
  const start = ["mooring", noun, verb].join(" ");
  if (form.examples !== undefined) return form.examples.map((rest) => `${start} ${rest}`.trim());
  const words = paramsOf(row).map((name) => sampleWord(name));
  const options = fieldsOf(row)
    .filter(({ isRequired }) => isRequired)
    .flatMap((field) => sampleOption(field));
  return [[start, ...words, ...options].join(" ")];
}

const SAMPLE_IDS: Readonly<Record<string, string>> = {
  project_id: "web",
  app_id: "web-api",
  reference: "latest",
  consumer: "worker",
  user_id: "user_01k…",
  credential_id: "cred_01k…",
  key_id: "key_01k…",
};

function sampleWord(param: string): string {
  return SAMPLE_IDS[param] ?? `${param.replace(/_id$/, "")}_01k…`;
}

function sampleOption({ option, schema, isFlag }: Field): string[] {
  if (isFlag) return [`--${option.name}`];
  const [choice] = schema.enum ?? schema.items?.enum ?? schema.anyOf?.flatMap((part) => part.enum ?? []) ?? [];
  if (typeof choice === "string") return [`--${option.name}`, choice];
  if (option.value === "JSON") return [`--${option.name}`, schema.type === "array" ? "'[…]'" : "'{…}'"];
  return [`--${option.name}`, option.value === "N" ? "1" : (option.value ?? "")];
}

const WIDTH = 138;

function wrapped(text: string): string {
  const lines: string[] = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}

/** Returns the help of a noun: its verbs. */
export function nounHelp(noun: string, commands: readonly ApiCommand[]): string {
  const heads = commands.map((command) => wordsOf(command).slice(2).join(" "));
  const width = Math.max(...heads.map((head) => head.length));
  const lines = commands.map(({ row }, i) => `  ${(heads[i] ?? "").padEnd(width)}  ${row.summary.split(/[;:]/)[0]}`);
  const [first] = commands;
  return `Usage: mooring ${noun} VERB [options]\n\n${lines.join("\n")}\n\n  ${first === undefined ? "" : (examplesOf(first)[0] ?? "")}\n\nmooring ${noun} VERB --help describes one.\n`;
}
