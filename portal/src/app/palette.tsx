import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { cn } from "~/kit/cn.ts";
import { Dialog } from "~/kit/dialog.tsx";
import { TextInput } from "~/kit/field.tsx";
import { useConnect } from "./connect/connect.tsx";
import { matching, type Choice } from "./palette-choices.ts";
import { pagePath } from "./page-link.tsx";
import { useSees } from "./may.ts";
import { PAGES } from "./pages.ts";
import { chooseTheme, THEMES } from "./theme.ts";
import { useAddress, usePlace } from "./scope.ts";

/** Finds pages, organizations and actions by name. Arrow keys move, Enter opens. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const choices = matching(useChoices(), text);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const chosenId = chosen === undefined ? undefined : `${id}-${chosen.id}`;
  useEffect(() => {
    if (chosenId !== undefined) document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
  }, [chosenId]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt(Math.max(0, Math.min(choices.length - 1, at + step)));
    else if (event.key === "Enter" && chosen !== undefined) take(chosen);
    else return;
    event.preventDefault();
  };
  const take = (choice: Choice): void => {
    onClose();
    choice.does();
  };
  return (
    <Dialog title="Go anywhere" onClose={onClose}>
      <TextInput
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={chosenId}
        aria-label="Search pages and actions"
        placeholder="A page, an organization, an action"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Matches" className="flex max-h-[50dvh] flex-col overflow-auto">
        {choices.map((choice) => (
          <li
            key={choice.id}
            id={`${id}-${choice.id}`}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => take(choice)}
            className={cn(
              "flex min-h-[30px] cursor-pointer items-center justify-between rounded px-2",
              choice === chosen ? "bg-sea-2" : "hover:bg-well",
            )}
          >
            {choice.title} <span className="text-s text-ink-3">{choice.kind}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="text-ink-2">Nothing found.</p>}
    </Dialog>
  );
}

function useChoices(): readonly Choice[] {
  const { org: named, project = "-" } = useAddress();
  const org = usePlace().kind === "absent" ? undefined : named;
  const { organizations, user } = useSession();
  const navigate = useNavigate();
  const connect = useConnect();
  const sees = useSees();
  const go = (to: string) => () => void navigate({ to });
  const pages =
    org === undefined
      ? []
      : PAGES.filter((page) => page.hidden !== true && sees(page)).map((page) => ({
          id: `page-${page.path}`,
          kind: page.group,
          title: page.title,
          does: go(pagePath(org, project, page.path)),
        }));
  return [
    ...pages,
    ...(org === undefined
      ? []
      : [{ id: "connect", kind: "Act", title: "Connect", does: () => connect({ topic: "token" }) }]),
    ...organizations.map(({ slug, name }) => ({
      id: `org-${slug}`,
      kind: "Organization",
      title: name,
      does: go(pagePath(slug, "-", "")),
    })),
    { id: "account", kind: "Own", title: "Account and security", does: go("/account") },
    ...(user.instance_admin ? [{ id: "instance", kind: "Own", title: "Instance", does: go("/instance") }] : []),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      kind: "Theme",
      title: `Theme: ${theme}`,
      does: () => chooseTheme(theme),
    })),
  ];
}
