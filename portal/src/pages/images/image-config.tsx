import { useState, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Facts } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { argumentsText, type ImageConfig } from "./images.ts";

/** Shows the image's configuration from its builder: settings, labels and history. All of it is shown as text. */
export function Config({ config }: { config: ImageConfig }): ReactNode {
  const facts = factsOf(config);
  const labels = Object.entries(config.labels);
  return (
    <>
      <h3>Config</h3>
      {facts.length > 0 && <Facts items={facts} />}
      {facts.length === 0 && <p className="text-ink-2">The image has no settings for running it.</p>}
      <Some
        title="Labels"
        items={labels.map(([name, value]) => (
          <Pair key={name} name={name} value={value} />
        ))}
      />
      <Some
        title="Environment"
        items={config.env.map((line, index) => (
          <Foreign key={index} text={line} />
        ))}
      />
      <Some
        title="History"
        items={config.history.map((step, index) => (
          <Step key={index} step={step} />
        ))}
      />
    </>
  );
}

function factsOf(config: ImageConfig): (readonly [string, ReactNode])[] {
  const { created, author, user, working_dir, entrypoint, cmd, exposed_ports } = config;
  const texts: readonly (readonly [string, string | null])[] = [
    ["Author", author],
    ["Entry point", entrypoint === null ? null : argumentsText(entrypoint)],
    ["Command", cmd === null ? null : argumentsText(cmd)],
    ["User", user],
    ["Directory", working_dir],
    ["Ports", exposed_ports.join(", ")],
  ];
  return [
    ...(created === null ? [] : [["Built", <Time key="built" at={created} />] as const]),
    ...texts.flatMap(([name, text]) =>
      text === null || text === "" ? [] : [[name, <Foreign key={name} text={text} />] as const],
    ),
  ];
}

function Foreign({ text }: { text: string }): ReactNode {
  return (
    <code className="[overflow-wrap:anywhere]">
      <ForeignText text={text} />
    </code>
  );
}

function Pair({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <>
      <span className="block text-s text-ink-3 [overflow-wrap:anywhere]">
        <ForeignText text={name} />
      </span>
      <code className="block [overflow-wrap:anywhere] whitespace-pre-wrap">
        <bdi>{visibleText(value, { lines: true })}</bdi>
      </code>
    </>
  );
}

function Step({ step }: { step: ImageConfig["history"][number] }): ReactNode {
  return (
    <>
      <code className="block [overflow-wrap:anywhere] whitespace-pre-wrap">
        <bdi>{visibleText(step.created_by ?? "not said", { lines: true })}</bdi>
      </code>
      <span className="flex items-center gap-2 text-s text-ink-3">
        {step.created !== null && <Time at={step.created} />}
        {step.empty_layer && <Badge>no layer</Badge>}
      </span>
    </>
  );
}

const SHOWN = 10;

/** Shows the beginning of a long list, and the rest on request. */
function Some({ title, items }: { title: string; items: readonly ReactNode[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return null;
  return (
    <>
      <h4 className="font-semibold">
        {title} ({items.length})
      </h4>
      <ol>
        {(isWhole ? items : items.slice(0, SHOWN)).map((item, index) => (
          // The index is the key, because lines may occur twice.
          <li key={index} className="border-t border-line py-1">
            {item}
          </li>
        ))}
      </ol>
      {items.length > SHOWN && (
        <div>
          <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show the first ${SHOWN}` : `Show all ${items.length}`}
          </Button>
        </div>
      )}
    </>
  );
}
