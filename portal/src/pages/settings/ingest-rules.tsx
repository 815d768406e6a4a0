import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText } from "~/kit/figures.ts";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Empty, Facts, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { useVersionedChange } from "~/kit/versioned.tsx";
import { IngestRuleDialog } from "./ingest-rule-dialog.tsx";

type Rule = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getIngestRule>;

const REFRESH_MS = 5_000;
const CHANGES = [TELEMETRY_SETTINGS_ROUTES.listIngestRules];

/** Lists the rules for rows that arrive, with their counts, and creates new ones. */
export function IngestRules(): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const [openId, setOpenId] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const list = useList(TELEMETRY_SETTINGS_ROUTES.listIngestRules, {}, { enabled: mayWrite, refetchMs: REFRESH_MS });
  const open = list.items.find(({ id }) => id === openId);
  if (!mayWrite)
    return (
      <Section title="Ingest rules">
        <p className="text-ink-2">
          To see and change ingest rules, you need <code>org:write</code>, which your role lacks.
        </p>
      </Section>
    );
  return (
    <>
      <WithInspector
        inspector={
          open !== undefined && <RuleInspector key={open.id} rule={open} onClose={() => setOpenId(undefined)} />
        }
      >
        <Section
          title="Ingest rules"
          about="Rows are dropped, sampled or masked before they are stored, in all projects. Senders see no difference."
          actions={<Button onClick={() => setCreating(true)}>Create a rule…</Button>}
          flush
        >
          <ListTable
            label="Ingest rules"
            list={list}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            openKey={openId}
            onOpen={({ id }) => setOpenId(id === openId ? undefined : id)}
            empty={
              <Empty title="No ingest rules yet">
                <p>A rule drops rows that nobody reads, keeps one row of many, or masks cards, tokens and addresses.</p>
              </Empty>
            }
          />
        </Section>
      </WithInspector>
      {isCreating && (
        <IngestRuleDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            setCreating(false);
            setOpenId(id);
          }}
        />
      )}
    </>
  );
}

function EnabledState({ enabled }: { enabled: boolean }): ReactNode {
  return <State kind={enabled ? "go" : "none"}>{enabled ? "enabled" : "disabled"}</State>;
}

function actionText({ action, keep_one_of: oneOf, masks }: Rule): string {
  if (action === "sample") return `keep one of ${countText(oneOf ?? 1)}`;
  return action === "mask" ? `mask ${(masks ?? []).join(", ")}` : "drop";
}

function matchText({ match }: Rule): string {
  const { attributes = {}, ...members } = match;
  const parts = [
    ...Object.entries(members).map(([name, value]) => `${name.replaceAll("_", " ")} ${String(value)}`),
    ...Object.entries(attributes).map(([name, value]) => `${name} = ${value}`),
  ];
  return parts.length === 0 ? "every row" : parts.join(", ");
}

const COLUMNS: readonly Column<Rule>[] = [
  { title: "Name", cell: ({ name }) => name },
  { title: "State", cell: ({ enabled }) => <EnabledState enabled={enabled} /> },
  { title: "Types", cell: ({ types }) => types.join(", ") },
  { title: "Match", cell: matchText },
  { title: "Action", cell: actionText },
  { title: "Met", number: true, cell: ({ rows_matched }) => countText(rows_matched) },
  { title: "Removed", number: true, cell: ({ rows_removed }) => countText(rows_removed) },
  { title: "Masked", number: true, cell: ({ rows_masked }) => countText(rows_masked) },
];

function RuleInspector({ rule, onClose }: { rule: Rule; onClose: () => void }): ReactNode {
  const nameOf = useNames();
  const say = useSay();
  const [isDeleting, setDeleting] = useState(false);
  const params = { rule_id: rule.id };
  const update = useVersionedChange(TELEMETRY_SETTINGS_ROUTES.updateIngestRule, {
    changes: CHANGES,
    onDone: ({ enabled }) => say(enabled ? "Enabled. It applies to new rows." : "Disabled."),
  });
  const remove = useAct(TELEMETRY_SETTINGS_ROUTES.deleteIngestRule, { changes: CHANGES, onDone: onClose });
  return (
    <Inspector title={rule.name} onClose={onClose}>
      <EnabledState enabled={rule.enabled} />
      <Facts
        items={[
          ["Action", actionText(rule)],
          ["Match", matchText(rule)],
          ["Types", rule.types.join(", ")],
          ["Project", rule.project_id === null ? "all" : (nameOf(rule.project_id) ?? rule.project_id)],
          ["Key", rule.key_id ?? "all senders"],
          ["Order", String(rule.order)],
          ["Rows met", countText(rule.rows_matched)],
          ["Rows removed", countText(rule.rows_removed)],
          ["Rows masked", countText(rule.rows_masked)],
          ["Counted", <Time key="counted" at={rule.counted_at} />],
          ["Created by", nameOf(rule.created_by) ?? rule.created_by],
          ["Created", <Time key="created" at={rule.created_at} />],
        ]}
      />
      <ErrorNote error={update.error} />
      <div className="flex flex-wrap gap-2">
        <Button
          busy={update.isPending}
          onClick={() => update.mutate({ params, body: { enabled: !rule.enabled }, etag: null })}
        >
          {rule.enabled ? "Disable" : "Enable"}
        </Button>
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </div>
      {isDeleting && (
        <DangerDialog
          title="Delete the rule"
          about="New rows are stored as they are sent. Its counts are deleted."
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove.mutate({ params })}
        />
      )}
    </Inspector>
  );
}
