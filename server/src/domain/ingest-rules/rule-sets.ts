import type { Identity } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { ruleOf, type Rule } from "./model.ts";
import { allRules } from "./store.ts";

/** Rules of this many organizations are kept: those that were read last. */
const KNOWN_MAX = 10_000;

/**
 * The rules that apply, in memory until the organization changes. A caller must first authenticate its principal, which
 * makes sure that the feed is fresh.
 */
export class RuleSets {
  readonly #metadata: Pick<MetadataStore, "read">;
  readonly #known = new Map<string, Promise<readonly Rule[]>>();

  constructor(metadata: Pick<MetadataStore, "read">, feed: Pick<Identity["feed"], "subscribe">) {
    this.#metadata = metadata;
    feed.subscribe({
      apply: (changes) => {
        for (const { kind, subject } of changes) if (kind === "organization") this.#known.delete(subject);
      },
      reset: () => this.#known.clear(),
    });
  }

  /**
   * Returns the rules for the rows of a sender, in their order. Undefined: none.
   * @throws Problem `unavailable`: without its rules, no row may be stored
   */
  async of({ orgId, id }: { readonly orgId: string; readonly id: string }): Promise<readonly Rule[] | undefined> {
    const rules = await (this.#known.get(orgId) ?? this.#read(orgId));
    if (rules.length === 0) return undefined;
    const own = rules.filter(({ sender }) => sender === null || sender === id);
    return own.length === 0 ? undefined : own;
  }

  #read(orgId: string): Promise<readonly Rule[]> {
    const read = allRules(this.#metadata.read, orgId).then(
      (rows) => {
        const enabled = rows.filter((row) => row.enabled === 1).toSorted((a, b) => a.position - b.position);
        return enabled.map(ruleOf);
      },
      (cause: unknown) => {
        if (this.#known.get(orgId) === read) this.#known.delete(orgId);
        throw new Problem("unavailable", "This node can't read the rules for rows now. Send the request again.", {
          cause,
        });
      },
    );
    this.#known.set(orgId, read);
    const oldest = this.#known.size > KNOWN_MAX ? this.#known.keys().next() : undefined;
    if (oldest !== undefined && oldest.done !== true) this.#known.delete(oldest.value);
    return read;
  }
}
