import { createInterface } from "node:readline/promises";
import { createClient, discover, type Client } from "@mooring/client";
import type { ApiCommand, Route } from "@mooring/contract";
import { systemClock } from "#kernel/time.ts";
import { processEnvironment } from "../../config.ts";
import { CommandError, countOption, ExitCode, textOption, UsageError, type Parsed } from "../command.ts";
import { checkedUrl, connect, DEFAULT_URL } from "../connection.ts";
import { isEffects, printEffects } from "../effects.ts";
import { untilInterrupt } from "../interrupt.ts";
import { LIMIT_DEFAULT, needsConfirmation } from "./help.ts";
import { itemPrinter, printRecord } from "./output.ts";
import { isList, readInput, requestOf, type ApiRequest } from "./request.ts";

const LIMIT_MAX = 1_000_000;
const PAGE = 100;

/** Sends the request of a command line, and prints the answer. */
export async function runCommand(command: ApiCommand, parsed: Parsed): Promise<number> {
  const { row } = command;
  const request = requestOf(command, parsed, readInput(textOption(parsed, "input")));
  const client = await clientFor(row, parsed);
  if (needsConfirmation(command)) await confirm(command, request, parsed);
  const isJson = row.resultType === undefined && (row.result !== undefined || row.status === 204);
  if (!isJson) return untilInterrupt((signal) => printBytes(client, row, request, signal));
  if (isList(row)) return printList(client, command, request, parsed);
  const ifMatch = textOption(parsed, "if-match");
  const headers = ifMatch === undefined ? {} : { headers: { "If-Match": ifMatch } };
  const answer: unknown = await client.call(row, { ...request, ...headers });
  if (answer === undefined) {
    if (process.stderr.isTTY) process.stderr.write("done\n");
  } else printAnswer(command, unwrapped(answer), parsed.values["json"] === true);
  return ExitCode.ok;
}

/** Operations without a permission need no sign-in. */
async function clientFor(row: Route, parsed: Parsed): Promise<Client> {
  if (row.permission !== "public") return connect(parsed, systemClock);
  const url = textOption(parsed, "url") ?? processEnvironment()["MOORING_URL"] ?? DEFAULT_URL;
  return createClient({ addresses: await discover(checkedUrl(url)), tokens: null });
}

/** Asks a person at a terminal to type the name. A script has to say `--yes`. */
async function confirm({ row, verb, noun }: ApiCommand, { params }: ApiRequest, parsed: Parsed): Promise<void> {
  if (parsed.values["yes"] === true || parsed.values["dry-run"] === true) return;
  const name = Object.values(params).at(-1) ?? noun;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`this can't be asked here; add --yes to ${verb} ${name}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question(`${row.summary}. Type ${name} to continue: `);
  terminal.close();
  if (typed.trim() !== name) throw new CommandError("nothing was changed: the name does not match");
}

function printAnswer(command: ApiCommand, answer: unknown, json: boolean): void {
  if (isEffects(answer)) return printEffects(answer, json);
  const items = (answer as { items?: unknown } | null)?.items;
  if (json || !Array.isArray(items) || Object.keys(answer as object).length > 2) return printRecord(answer, json);
  const printer = itemPrinter(command, { json, streams: false });
  for (const item of items as Record<string, unknown>[]) printer.add(item);
  printer.end();
}

/** Answers of the storage service are wrapped. */
function unwrapped(answer: unknown): unknown {
  const isWrapped =
    typeof answer === "object" && answer !== null && "data" in answer && Object.keys(answer).length === 1;
  return isWrapped ? answer.data : answer;
}

async function printList(client: Client, command: ApiCommand, request: ApiRequest, parsed: Parsed): Promise<number> {
  const all = parsed.values["all"] === true;
  const limit = all ? Infinity : (countOption(parsed, "limit", { minimum: 1, maximum: LIMIT_MAX }) ?? LIMIT_DEFAULT);
  const printer = itemPrinter(command, { json: parsed.values["json"] === true, streams: all });
  let count = 0;
  let hasMore = false;
  for await (const item of itemsOf(client, command.row, request)) {
    if (count >= limit) {
      hasMore = true;
      break;
    }
    count += 1;
    printer.add(item);
  }
  printer.end();
  if (hasMore) process.stderr.write(`there are more; --limit N or --all prints them\n`);
  return ExitCode.ok;
}

/** Reads page after page, by cursor or by offset. */
async function* itemsOf(client: Client, row: Route, request: ApiRequest): AsyncGenerator<Record<string, unknown>> {
  const pages = Object.keys(row.query?.properties ?? {}).includes("cursor") ? "cursor" : "offset";
  let place: string | number | undefined;
  for (;;) {
    const query = { ...request.query, limit: PAGE, ...(place === undefined ? {} : { [pages]: place }) };
    const answer = unwrapped(await client.call(row, { ...request, query } as never)) as Record<string, unknown>;
    const items = (Object.values(answer).find((value) => Array.isArray(value)) ?? []) as Record<string, unknown>[];
    yield* items;
    if (pages === "cursor") {
      if (typeof answer["next_cursor"] !== "string") return;
      place = answer["next_cursor"];
    } else {
      place = Number(place ?? 0) + items.length;
      if (items.length < PAGE) return;
    }
  }
}

/** Prints an answer that is not JSON as it arrives. */
async function printBytes(client: Client, row: Route, request: ApiRequest, signal: AbortSignal): Promise<number> {
  const { params, query } = request;
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const url = `${client.addresses.portal_url}${path}${search.size === 0 ? "" : `?${search.toString()}`}`;
  const response = await client.send({ purpose: row.summary.toLowerCase(), method: row.method, url, signal });
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  return ExitCode.ok;
}
