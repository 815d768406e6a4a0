import type { ReactNode } from "react";
import { CopyBlock, Copyable } from "~/kit/copy.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts } from "~/kit/page.tsx";
import { permissionOf, type ApiDocument, type Operation, type Parameter } from "./document.ts";
import { exampleCommand } from "./example.ts";
import { aboutOf, rowsOf, typeOf, type SchemaRow } from "./schema.ts";

interface InspectorProps {
  operation: Operation;
  document: ApiDocument;
  onClose: () => void;
}

/** Shows one operation: its permission, parameters, bodies and answers, and a command that calls it. */
export function OperationInspector({ operation, document, onClose }: InspectorProps): ReactNode {
  const { method, path, summary, description, operationId, parameters, requestBody } = operation;
  return (
    <Inspector title={operationId} onClose={onClose}>
      <p className="mono [overflow-wrap:anywhere]">
        {method} {path}
      </p>
      <p>{summary}.</p>
      {description !== undefined && <p className="text-ink-2">{description}</p>}
      <Facts
        items={[
          ["Permission", <code key="permission">{permissionOf(operation)}</code>],
          ["Operation", <Copyable key="id" text={operationId} />],
        ]}
      />
      <CopyBlock text={exampleCommand(operation, document)} label={`command that calls ${operationId}`} />
      {parameters.length > 0 && <Members title="Parameters" rows={parameters.map((each) => rowOf(each, document))} />}
      {Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) => (
        <Members key={mediaType} title={`Body, ${mediaType}`} about={aboutOf(schema)} rows={rowsOf(schema, document)} />
      ))}
      <Answers operation={operation} document={document} />
    </Inspector>
  );
}

function rowOf({ name, in: place, required, description, schema }: Parameter, document: ApiDocument): SchemaRow {
  const about = [description ?? "", aboutOf(schema)].filter((text) => text !== "").join(" · ");
  return { place: name, depth: 0, type: `${place} · ${typeOf(schema, document)}`, isRequired: required, about };
}

function Answers({ operation, document }: Omit<InspectorProps, "onClose">): ReactNode {
  const answers = Object.entries(operation.responses);
  const [success, refusals] = [
    answers.filter(([status]) => status.startsWith("2")),
    answers.filter(([status]) => !status.startsWith("2")),
  ];
  return (
    <>
      {success.map(([status, { content }]) =>
        content === undefined ? (
          <Members key={status} title={`Answer ${status}`} about="without a body" rows={[]} />
        ) : (
          Object.entries(content).map(([mediaType, { schema }]) => (
            <Members
              key={status + mediaType}
              title={`Answer ${status}, ${mediaType}`}
              about={aboutOf(schema)}
              rows={rowsOf(schema, document)}
            />
          ))
        ),
      )}
      <section>
        <h3>Errors</h3>
        <p className="text-ink-2">Problem details (RFC 9457); `code` is one of these.</p>
        <Facts items={refusals.map(([status, { description }]) => [status, description])} />
      </section>
    </>
  );
}

interface MembersProps {
  title: string;
  about?: string;
  rows: readonly SchemaRow[];
}

function Members({ title, about = "", rows }: MembersProps): ReactNode {
  return (
    <section>
      <h3>{title}</h3>
      {about !== "" && <p className="text-ink-2">{about}</p>}
      {rows.length > 0 && (
        <ul>
          {rows.map(({ place, depth, type, isRequired, about: more }, at) => (
            <li
              key={`${place} ${at}`}
              className="border-t border-line py-1 [overflow-wrap:anywhere]"
              style={{ paddingInlineStart: `${Math.min(depth, 6) * 10}px` }}
            >
              <code title={place}>{place.split(".").at(-1)}</code>{" "}
              <span className="text-s text-ink-2">
                {type}
                {isRequired ? ", required" : ""}
              </span>
              {more !== "" && <p className="text-s text-ink-2">{more}</p>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
