import { schemaBreaks, type Schema } from "./schema.ts";

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Returns the changes between two documents that break callers, one line each. A line begins with the operation's id.
 */
export function breaksOf(before: ApiDocument, after: ApiDocument): string[] {
  const [old, now] = [resolved(before), resolved(after)];
  return Object.entries(old.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const next = now.paths[path]?.[method];
      const id = operation.operationId;
      if (next === undefined) return [`${id}: ${method.toUpperCase()} ${path} was removed`];
      return operationBreaks(operation, next).map((line) => `${id}: ${line}`);
    }),
  );
}

function operationBreaks(before: Operation, after: Operation): string[] {
  return [
    ...(before.operationId === after.operationId ? [] : [`its id became ${after.operationId}`]),
    ...securityBreaks(before, after),
    ...parameterBreaks(before, after),
    ...contentBreaks(before.requestBody?.content, after.requestBody?.content, { direction: "request", place: "body" }),
    ...(before.requestBody === undefined && after.requestBody !== undefined ? ["body: it is now required"] : []),
    ...answerBreaks(before, after),
  ];
}

function securityBreaks(before: Operation, after: Operation): string[] {
  const scopesOf = ({ security }: Operation): readonly string[] =>
    security.flatMap((each) => Object.values(each).flat());
  if (before.security.length === 0 && after.security.length > 0) return ["it now needs a token"];
  const held = scopesOf(before);
  return scopesOf(after)
    .filter((scope) => !held.includes(scope))
    .map((scope) => `it now needs ${scope}`);
}

function parameterBreaks(before: Operation, after: Operation): string[] {
  const find = (operation: Operation, { name, in: place }: Parameter): Parameter | undefined =>
    operation.parameters.find((each) => each.name === name && each.in === place);
  const kept = before.parameters.flatMap((parameter) => {
    const place = `${parameter.in} parameter ${parameter.name}`;
    const next = find(after, parameter);
    // The server refuses unknown parameters.
    if (next === undefined) return [`${place}: it was removed`];
    return schemaBreaks({ before: parameter.schema, after: next.schema, direction: "request", place });
  });
  const required = after.parameters
    .filter((parameter) => parameter.required && find(before, parameter)?.required !== true)
    .map(({ name, in: place }) => `${place} parameter ${name}: it is now required`);
  return [...kept, ...required];
}

function answerBreaks(before: Operation, after: Operation): string[] {
  return Object.entries(before.responses).flatMap(([status, { content }]) => {
    const next = after.responses[status];
    if (next === undefined) return [`answer ${status}: it was removed`];
    return contentBreaks(content, next.content, { direction: "answer", place: `answer ${status}` });
  });
}

function contentBreaks(
  before: Content = {},
  after: Content = {},
  { direction, place }: { readonly direction: "request" | "answer"; readonly place: string },
): string[] {
  return Object.entries(before).flatMap(([mediaType, { schema }]) => {
    const next = after[mediaType];
    if (next === undefined) return [`${place}: ${mediaType} was removed`];
    return schemaBreaks({ before: schema, after: next.schema, direction, place });
  });
}

/** Returns the document with each reference replaced by its schema. */
function resolved(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as Schema;
    if (typeof $ref === "string") return visit(schemas[$ref.replace("#/components/schemas/", "")] ?? {});
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visit(each)]));
  };
  return { ...document, paths: visit(document.paths) as ApiDocument["paths"] };
}
