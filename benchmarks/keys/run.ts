import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { shown, spreadOf } from "../lib/statistics.ts";

// Measures the CPU time of a sign-in and of a token's verification, beside another checkout of the product in the same
// process: `--before DIR`. Rounds take turns, so that the load of the machine affects both.

const ROUNDS = 41;
const TIMES = 2_000;
const ORIGIN = { ip: "127.0.0.1", requestId: "req_bench" };

interface Client {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
interface Node {
  readonly signIn: { authenticate(request: object): Promise<unknown> };
  readonly credentials: {
    rotate(acting: object, id: string, options: object): Promise<{ readonly clientSecret: string }>;
  };
  readonly authenticator: { authenticate(token: string): Promise<unknown> };
}
interface Testing {
  readonly SYSTEM: object;
  openGround(): Promise<{ node(): Promise<Node>; close(): Promise<void> }>;
  credentialOf(node: Node): Promise<Client>;
  tokenOf(node: Node, client: Client): Promise<string>;
}

interface Subject {
  readonly work: Readonly<Record<string, (at: number) => Promise<unknown>>>;
  close(): Promise<void>;
}

async function subjectOf(directory: string): Promise<Subject> {
  const path = join(directory, "server/src/domain/identity/testing.ts");
  const testing = (await import(pathToFileURL(path).href)) as Testing;
  const ground = await testing.openGround();
  const node = await ground.node();
  const client = await testing.credentialOf(node);
  const { clientSecret } = await node.credentials.rotate({ actor: testing.SYSTEM }, client.id, { overlapS: 3_600 });
  const both = [client, { ...client, clientSecret }] as const;
  const token = await testing.tokenOf(node, client);
  const signIn = (by: Client): Promise<unknown> => node.signIn.authenticate({ ...by, ...ORIGIN });
  return {
    work: {
      "sign-in, the same secret again": () => signIn(client),
      // The other secret each time, so that the keyed hash is always computed.
      "sign-in, keyed hash": (at) => signIn(both[at % 2 === 0 ? 0 : 1]),
      "access token": () => node.authenticator.authenticate(token),
    },
    close: () => ground.close(),
  };
}

/** Returns the CPU time of one turn in microseconds. */
async function cost(work: (at: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < TIMES; at++) await work(at);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / TIMES;
}

const { values } = parseArgs({ options: { before: { type: "string" } }, strict: false });
const directories = [typeof values["before"] === "string" ? values["before"] : process.cwd(), process.cwd()];
const [before, after] = [await subjectOf(directories[0] ?? ""), await subjectOf(directories[1] ?? "")];
for (const [name, work] of Object.entries(after.work)) {
  const others = before.work[name] ?? work;
  const figures: { before: number[]; after: number[] } = { before: [], after: [] };
  for (let round = -1; round < ROUNDS; round++) {
    const pair = round % 2 === 0 ? [await cost(others), await cost(work)] : [];
    const [later = await cost(work), earlier = await cost(others)] = pair.toReversed();
    if (round < 0) continue; // warm-up
    figures.before.push(earlier);
    figures.after.push(later);
  }
  const ratios = figures.after.map((figure, i) => figure / (figures.before[i] ?? Number.NaN));
  process.stdout.write(
    `${name}, CPU µs: before ${shown(spreadOf(figures.before), 1)}; now ${shown(spreadOf(figures.after), 1)}; ratio ${shown(spreadOf(ratios), 3)}\n`,
  );
}
await before.close();
await after.close();
process.exit();
