import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LAUNCHER, startProduct, type Bootstrapped, type Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

// Measures the CPU time that a server spends on a token, a person's sign-in, and a push, beside another checkout of the
// product: `--before DIR`. Rounds take turns, so that the load of the machine affects both.

const ROUNDS = 31;
const PASSWORD = "correct horse battery";

interface Subject {
  readonly product: Product;
  readonly work: Readonly<Record<string, { readonly times: number; readonly act: () => Promise<void> }>>;
}

async function subjectOf(launcher: string): Promise<Subject> {
  const product = await startProduct({ launcher });
  const home = await product.bootstrap("bench");
  await setUp(product, home);
  const basic = `Basic ${Buffer.from(`${home.credential.client_id}:${home.credential.client_secret}`).toString("base64")}`;
  const name = "orgs/bench/bench-app";
  const pushing = await registryToken(product, basic, name);
  return {
    product,
    work: {
      token: { times: 200, act: async () => void (await product.token(home.credential)) },
      "token of the registry": { times: 200, act: async () => void (await registryToken(product, basic, name)) },
      "sign-in by password": { times: 4, act: () => signIn(product, home) },
      "push of a layer of 4 KiB": { times: 60, act: () => push(product, pushing, name) },
    },
  };
}

async function expect(status: number, response: Response): Promise<Response> {
  if (response.status !== status) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return response;
}

function post({ url }: Product, path: string, json: object): Promise<Response> {
  const headers = { "content-type": "application/json", origin: url };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(json) });
}

async function setUp(product: Product, { owner }: Bootstrapped): Promise<void> {
  const [, token] = String(owner.setup_url).split("#");
  await expect(201, await post(product, "/api/setup", { token, name: "Ada", password: PASSWORD }));
}

async function signIn(product: Product, { owner: { email } }: Bootstrapped): Promise<void> {
  await (await expect(200, await post(product, "/api/sign-in/password", { email, password: PASSWORD }))).text();
}

async function registryToken({ url }: Product, authorization: string, name: string): Promise<string> {
  const address = `${url}/v2/token?service=x&scope=repository:${name}:pull,push`;
  const answer = await expect(200, await fetch(address, { headers: { authorization } }));
  return `Bearer ${((await answer.json()) as { token: string }).token}`;
}

async function push({ url }: Product, authorization: string, name: string): Promise<void> {
  const body = randomBytes(4096);
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  const headers = { authorization, "content-type": "application/octet-stream" };
  const address = `${url}/v2/${name}/blobs/uploads/?digest=${digest}`;
  await (await expect(201, await fetch(address, { method: "POST", headers, body }))).arrayBuffer();
}

/** Returns the CPU time of a process in microseconds (Linux). */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  // The first number is the time on a processor in nanoseconds.
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1000;
}

async function cost(
  { product: { process: child } }: Subject,
  { times, act }: { times: number; act: () => Promise<void> },
): Promise<number> {
  const pid = child.pid ?? 0;
  const before = cpuOf(pid);
  for (let at = 0; at < times; at++) await act();
  return (cpuOf(pid) - before) / times;
}

const { values } = parseArgs({ options: { before: { type: "string" } }, strict: false });
const directory = values["before"];
const other = typeof directory === "string" ? join(directory, "server/bin/mooring.mjs") : LAUNCHER;
const [before, after] = [await subjectOf(other), await subjectOf(LAUNCHER)];
try {
  for (const [name, work] of Object.entries(after.work)) {
    const others = before.work[name] ?? work;
    const figures: { before: number[]; after: number[] } = { before: [], after: [] };
    for (let round = -2; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await cost(after, work) : null;
      const earlier = await cost(before, others);
      const later = first ?? (await cost(after, work));
      if (round < 0) continue; // warm-up
      figures.before.push(earlier);
      figures.after.push(later);
    }
    const ratios = figures.after.map((figure, i) => figure / (figures.before[i] ?? Number.NaN));
    process.stdout.write(
      `${name}, CPU µs: before ${shown(spreadOf(figures.before))}; now ${shown(spreadOf(figures.after))}; ratio ${shown(spreadOf(ratios), 3)}\n`,
    );
  }
} finally {
  await before.product.stop();
  await after.product.stop();
}
