import type { World, WorldOptions } from "../../organization/testing/world.ts";
import { digestOf, newClient, registryOf, tokenFor, withRegistry } from "./registry.ts";
import { createImagesSurface } from "../index.ts";

/** Helpers for tests of this surface: a world with the registry, and images pushed there. */

export const WITH_IMAGES: WorldOptions = {
  isShared: true,
  surfaces: async (deps) => {
    const others = (await withRegistry().surfaces?.(deps)) ?? [];
    const parts = registryOf({ metadata: deps.metadata } as World);
    return [...others, createImagesSurface({ host: deps.host, ...parts })];
  },
};

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

export interface Pushed {
  readonly name: string;
  readonly digest: string;
  /** The size of the manifest alone. */
  readonly bytes: number;
}

const CONFIG = "application/vnd.oci.image.config.v1+json";

const INDEX = "application/vnd.oci.image.index.v1+json";

/** Pushes an index of existing images, each with a platform or none. */
export async function pushIndex(
  world: World,
  app: { slug: string },
  tag: string,
  parts: readonly { readonly image: Pushed; readonly platform?: unknown }[],
): Promise<Pushed> {
  const name = `orgs/${world.acme.slug}/${app.slug}`;
  const client = await newClient(world, { scopes: ["registry:pull", "registry:push"] });
  const manifests = parts.map(({ image, platform }) => ({
    mediaType: MANIFEST,
    digest: image.digest,
    size: image.bytes,
    platform,
  }));
  const body = { schemaVersion: 2, mediaType: INDEX, manifests };
  const answer = await world.call("PUT", `/v2/${name}/manifests/${tag}`, {
    headers: { authorization: await tokenFor(world, client, `repository:${name}:pull,push`), "content-type": INDEX },
    body,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return { name, digest: digestOf(JSON.stringify(body)), bytes: Buffer.byteLength(JSON.stringify(body)) };
}

/** Pushes a new small image to an app's repository. */
export async function pushImage(
  world: World,
  app: { slug: string; project_id: string },
  tag: string,
  { config = { architecture: "amd64", os: "linux" }, type = CONFIG }: { config?: unknown; type?: string } = {},
): Promise<Pushed> {
  const name = `orgs/${world.acme.slug}/${app.slug}`;
  const bound = app.project_id === world.acme.closed.id ? { projectId: app.project_id } : {};
  const client = await newClient(world, { scopes: ["registry:pull", "registry:push"], ...bound });
  const headers = { authorization: await tokenFor(world, client, `repository:${name}:pull,push`) };
  const text = JSON.stringify(config);
  await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digestOf(text)}`, { headers, body: config });
  const descriptor = { mediaType: type, digest: digestOf(text), size: Buffer.byteLength(text) };
  const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: descriptor, layers: [], annotations: { tag } };
  const answer = await world.call("PUT", `/v2/${name}/manifests/${tag}`, {
    headers: { ...headers, "content-type": MANIFEST },
    body: manifest,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  const pushed = JSON.stringify(manifest);
  return { name, digest: digestOf(pushed), bytes: Buffer.byteLength(pushed) };
}
