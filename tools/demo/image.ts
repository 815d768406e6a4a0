import { createHash } from "node:crypto";
import { bootstrappedOf, indented, type DemoContext, type Stop } from "./context.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar";

interface Repository {
  /** `http://host:port/v2/orgs/acme/shop` */
  readonly url: string;
  readonly authorization: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const image: Stop = {
  title: "A container image, pushed and pulled by plain HTTP",
  run: async (context) => {
    const { addresses, org, app } = bootstrappedOf(context);
    const name = `orgs/${org.slug}/${app.slug}`;
    context.print(indented(`docker push ${addresses.registry_domain}/${name}:tour    # the same by hand:`));
    const repository = await signedIn(context, name);
    const layer = Buffer.from(`the layer of tour ${context.runId}`);
    const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", rootfs: { type: "layers" } }));
    const layers = [await pushBlob(repository, layer, LAYER)];
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: await pushBlob(repository, config, CONFIG),
      layers,
    };
    await call(repository, "PUT", "manifests/tour", { body: JSON.stringify(manifest), type: MANIFEST });
    context.print(
      indented(`→ pushed a config of ${config.length} bytes, a layer of ${layer.length}, and the tag tour`),
    );
    const pulled = (await (await call(repository, "GET", "manifests/tour")).json()) as { layers: Descriptor[] };
    const content = Buffer.from(
      await (await call(repository, "GET", `blobs/${pulled.layers[0]?.digest}`)).arrayBuffer(),
    );
    if (!content.equals(layer)) throw new Error("cannot pull the image: the pulled layer differs from the pushed one");
    context.print(indented(`→ pulled ${pulled.layers[0]?.digest}: ${JSON.stringify(content.toString())}`));
    context.remember("an image pushed and pulled, without a daemon");
  },
};

async function signedIn(context: DemoContext, name: string): Promise<Repository> {
  const { addresses, credential } = bootstrappedOf(context);
  const origin = `http://${addresses.registry_domain}`;
  const pair = Buffer.from(`${credential.client_id}:${credential.client_secret}`).toString("base64");
  const scope = encodeURIComponent(`repository:${name}:pull,push`);
  const answer = await fetch(`${origin}/v2/token?scope=${scope}`, { headers: { authorization: `Basic ${pair}` } });
  if (!answer.ok) throw new Error(`cannot sign in to the registry: ${answer.status} ${await answer.text()}`);
  const { token } = (await answer.json()) as { token: string };
  return { url: `${origin}/v2/${name}`, authorization: `Bearer ${token}` };
}

async function pushBlob(repository: Repository, content: Buffer<ArrayBuffer>, mediaType: string): Promise<Descriptor> {
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  await call(repository, "POST", `blobs/uploads/?digest=${digest}`, {
    body: content,
    type: "application/octet-stream",
  });
  return { mediaType, digest, size: content.length };
}

async function call(
  { url, authorization }: Repository,
  method: string,
  path: string,
  content?: { readonly body: string | Buffer<ArrayBuffer>; readonly type: string },
): Promise<Response> {
  const headers = { authorization, ...(content === undefined ? {} : { "content-type": content.type }) };
  const answer = await fetch(`${url}/${path}`, {
    method,
    headers,
    ...(content === undefined ? {} : { body: content.body }),
  });
  if (answer.ok) return answer;
  throw new Error(`cannot ${method} ${path}: ${answer.status} ${await answer.text()}`);
}
