/** The members of a schema (JSON Schema 2020-12) that this page reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

type PathItem = Readonly<Record<string, unknown>> & { readonly servers?: readonly { readonly url: string }[] };

export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  /** The base address of the operation's path. */
  readonly server: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Returns the operations in the order of the document. */
export function operationsOf(document: ApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const described = item[method] as DescribedOperation | undefined;
      const server = (item.servers ?? document.servers)[0]?.url ?? "";
      return described === undefined ? [] : [{ ...described, method: method.toUpperCase(), path, server }];
    }),
  );
}

/** Returns the operations that match every word of the text, by id, path, method, summary or permission. */
export function matching(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { operationId, method, path, summary } = operation;
    const all = [operationId, method, path, summary, permissionOf(operation)].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Describes the permission that an operation needs. */
export function permissionOf({ security }: Pick<Operation, "security">): string {
  const [requirement] = security;
  if (requirement === undefined) return "public";
  return Object.values(requirement).flat().join(", ") || "any token";
}
