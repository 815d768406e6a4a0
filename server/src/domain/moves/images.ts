import { hiddenSlug } from "#domain/projects/index.ts";
import type { Row } from "./store.ts";
import type { Table } from "./tables.ts";

/** An entry of the index of an OCI image layout. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const LAYOUT = "images/oci-layout";
export const INDEX = "images/index.json";
export const LAYOUT_CONTENT = { imageLayoutVersion: "1.0.0" };

/** Collects the rows of an index with the images of all repositories. Their blobs are shared. */
export class ImageIndex {
  readonly #slugs = new Map<string, string>();
  readonly #manifests = new Map<string, Pick<Descriptor, "mediaType" | "digest" | "size">>();
  readonly #entries: Descriptor[] = [];
  readonly #tagged = new Set<string>();

  note(table: Table, row: Row): void {
    const text = (name: string): string => String(row[name]);
    const manifest = `${text("repository")} ${text("digest")}`;
    if (table === "app") this.#note(text("id"), text("slug"));
    else if (table === "registry_manifest")
      this.#manifests.set(manifest, {
        mediaType: text("media_type"),
        digest: text("digest"),
        size: Number(row["size"]),
      });
    else if (table === "registry_tag") {
      const found = this.#manifests.get(manifest);
      const slug = this.#slugs.get(text("repository"));
      if (found === undefined || slug === undefined) return;
      const name = `${slug}:${text("name")}`;
      this.#entries.push({ ...found, annotations: { "org.opencontainers.image.ref.name": name } });
      this.#tagged.add(manifest);
    }
  }

  /** Images in the trash have no names. */
  #note(id: string, slug: string): void {
    if (slug !== hiddenSlug(id)) this.#slugs.set(id, slug);
  }

  get isEmpty(): boolean {
    return this.#manifests.size === 0;
  }

  /** Manifests without a tag are entries without a name. */
  index(): object {
    const rest = [...this.#manifests].filter(([name]) => !this.#tagged.has(name)).map(([, manifest]) => manifest);
    const mediaType = "application/vnd.oci.image.index.v1+json";
    return { schemaVersion: 2, mediaType, manifests: [...this.#entries, ...rest] };
  }
}
