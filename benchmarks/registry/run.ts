import { startProduct, type Bootstrapped, type Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { beside } from "./beside.ts";
import { headsPerSecond } from "./heads.ts";
import { startPeer } from "./peer.ts";
import { contentOf, pullBlob, pushBlob, pushImage, type Target } from "./target.ts";

// Measures the push and pull of a 500 MiB layer, pushes of small images by 10 clients, and HEAD requests of manifests,
// beside Debian's docker-registry if it is installed. The product checks a password at each request; the peer checks
// nothing. Then measures how much a push delays requests for tokens and telemetry.

const ROUNDS = 3;
const LAYER_BYTES = 500 * 1024 * 1024;
const SMALL_BYTES = 1024 * 1024;
const CLIENTS = 10;
const IMAGES = 100;
const HEAD_MS = 4000;
const HEAD_CONNECTIONS = 16;
/** In bytes a second. */
const GIGABIT = 117_000_000;

interface Ours {
  readonly product: Product;
  readonly credential: Bootstrapped["credential"];
  readonly target: Target;
}

async function startOurs(): Promise<Ours> {
  const product = await startProduct();
  const { credential } = await product.bootstrap("acme");
  const token = await product.token(credential);
  const repository = "orgs/acme/bench-images";
  const json = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const { items } = (await (await fetch(`${product.url}/v1/projects`, { headers: json })).json()) as {
    items: { id: string }[];
  };
  const body = JSON.stringify({ project: items[0]?.id, slug: "bench-images" });
  const made = await fetch(`${product.url}/v1/apps`, { method: "POST", headers: json, body });
  if (made.status !== 201) throw new Error(`cannot make the app: ${await made.text()}`);
  // A password instead of tokens, which expire during a long run.
  const pair = Buffer.from(`${credential.client_id}:${credential.client_secret}`).toString("base64");
  const { host, port } = product;
  const stop = (): Promise<void> => product.stop();
  return {
    product,
    credential,
    target: { name: "mooring", host, port, repository, authorization: `Basic ${pair}`, stop },
  };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function imagesPerSecond(target: Target, round: number): Promise<number> {
  let n = 0;
  const client = async (): Promise<void> => {
    while (n < IMAGES) await pushImage(target, `r${round}-${n++}`, SMALL_BYTES);
  };
  return IMAGES / (await seconds(async () => void (await Promise.all(Array.from({ length: CLIENTS }, client)))));
}

async function heads(target: Target): Promise<number> {
  await pushImage(target, "head", 1000);
  const load = { connections: HEAD_CONNECTIONS, durationMs: HEAD_MS };
  return headsPerSecond(target, `/v2/${target.repository}/manifests/head`, load);
}

const peer = await startPeer();
const ours = await startOurs();
const targets = [...(peer === null ? [] : [peer]), ours.target];
if (peer === null) process.stdout.write("docker-registry is not installed: only mooring is measured\n");
try {
  const figures = new Map(
    targets.map(({ name }) => [
      name,
      { up: [] as number[], down: [] as number[], images: [] as number[], heads: [] as number[] },
    ]),
  );
  for (let round = 0; round <= ROUNDS; round++) {
    for (const target of targets) {
      const content = contentOf(LAYER_BYTES);
      const up = await seconds(() => pushBlob(target, content));
      const down = await seconds(() => pullBlob(target, content));
      const images = await imagesPerSecond(target, round);
      const perSecond = await heads(target);
      const own = figures.get(target.name);
      if (round === 0 || own === undefined) continue; // warm-up
      own.up.push(up);
      own.down.push(down);
      own.images.push(images);
      own.heads.push(perSecond);
    }
  }
  for (const [name, { up, down, images, heads: asked }] of figures) {
    process.stdout.write(
      `${name}: 500 MiB up ${shown(spreadOf(up), 2)} s, down ${shown(spreadOf(down), 2)} s; ` +
        `images of 1 MiB by ${CLIENTS} clients ${shown(spreadOf(images))}/s; HEAD of a manifest ${shown(spreadOf(asked))}/s\n`,
    );
  }
  const network = { ...ours.target, name: "mooring over a gigabit network", bytesPerSecond: GIGABIT };
  await beside(ours.product, ours.credential, [...targets, network]);
} finally {
  for (const target of targets) await target.stop();
}
