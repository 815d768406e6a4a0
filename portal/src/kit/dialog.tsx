import { Dialog as Radix } from "radix-ui";
import { useState, type FormEvent, type ReactNode } from "react";
import { ProductionWarning, type ProjectsOf } from "~/app/environment.tsx";
import { Button, IconButton } from "./button.tsx";
import { cn } from "./cn.ts";
import { ErrorNote } from "./error-note.tsx";
import { TextField } from "./field.tsx";

interface DialogProps {
  title: string;
  /** The description, which screen readers announce when it opens. */
  about?: ReactNode;
  onClose: () => void;
  wide?: boolean;
  /** Whether it shows a secret that can't be shown again. Then a click outside does not close it. */
  holdsSecret?: boolean;
  children: ReactNode;
}

/** A dialog that is open while it is rendered. `Esc` and a click outside close it. */
export function Dialog({ title, about, onClose, wide = false, holdsSecret = false, children }: DialogProps): ReactNode {
  const [origins] = useState(originsOf);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-well/70" />
        <Radix.Content
          {...(about === undefined ? { "aria-describedby": undefined } : {})}
          onOpenAutoFocus={(event) => {
            if (event.target instanceof Element) originsOfDialogs.set(event.target, origins);
            startInField(event);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // This runs shortly after the dialog has closed. If another dialog is open by then, it keeps the focus.
            const next = document.activeElement?.closest("[role=dialog]") ?? null;
            if (next !== null && !origins.some((each) => next.contains(each))) return;
            [...origins, document.getElementById("content")].find((each) => each?.isConnected)?.focus();
          }}
          onInteractOutside={(event) => holdsSecret && event.preventDefault()}
          className={cn(
            "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-24px)] w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 flex-col",
            "rounded border border-line-2 bg-sheet text-ink",
            wide ? "max-w-[820px]" : "max-w-[520px]",
          )}
        >
          <header className="flex items-start gap-3 border-b border-line px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-l font-medium">{title}</Radix.Title>
              {about !== undefined && <Radix.Description className="text-ink-2">{about}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close">✕</IconButton>
            </Radix.Close>
          </header>
          <div className="flex min-h-0 flex-col gap-4 overflow-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** When a dialog closes, the first of these elements that still exists gets the focus. */
type Origins = readonly HTMLElement[];

const originsOfDialogs = new WeakMap<Element, Origins>();

/**
 * Finds the elements that get the focus back: for a menu item, the button of the menu; for a dialog opened by a dialog,
 * also the opener of the first one.
 */
function originsOf(): Origins {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return [];
  const menu = activeElement.closest("[role=menu]");
  const dialog = activeElement.closest("[role=dialog]");
  const trigger = menu === null ? null : document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  const before = dialog === null ? [] : (originsOfDialogs.get(dialog) ?? []);
  return [trigger ?? activeElement, ...before];
}

/** Gives the focus to the first field of a dialog, and not to the close button. */
function startInField(event: Event): void {
  if (!(event.target instanceof HTMLElement)) return;
  const field = event.target.querySelector<HTMLElement>(
    "input:not([type=hidden], [type=checkbox], [hidden], :disabled), select:not(:disabled), textarea:not(:disabled)",
  );
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

/** The row of buttons at the end of a form, the main button last. */
export function DialogActions({ children }: { children: ReactNode }): ReactNode {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}

interface FormActionsProps {
  /** The label of the main button: "Create". */
  action: string;
  look?: "main" | "danger";
  busy?: boolean;
  disabled?: boolean;
  onCancel: () => void;
}

/** The buttons of a form in a dialog: Cancel and the main button. */
export function FormActions({
  action,
  look = "main",
  busy = false,
  disabled = false,
  onCancel,
}: FormActionsProps): ReactNode {
  return (
    <DialogActions>
      <Button onClick={onCancel}>Cancel</Button>
      <Button look={look} type="submit" busy={busy} disabled={disabled}>
        {action}
      </Button>
    </DialogActions>
  );
}

interface DangerProps {
  title: string;
  /** The consequences, with figures. */
  about: ReactNode;
  /** The text that the person must type; undefined if the action can be undone. */
  type?: string | undefined;
  action: string;
  /** The projects concerned; see `ProjectsOf`. */
  projectId?: ProjectsOf;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Shows the consequences of an action that can't be undone, and asks the person to type a name. */
export function DangerDialog(props: DangerProps): ReactNode {
  const { title, about, type, action, projectId, busy, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (type === undefined || typed === type) onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ProductionWarning projectId={projectId} />
        <div>{about}</div>
        {type !== undefined && (
          <TextField
            label={
              <>
                Type <code className="rounded bg-well px-1">{type}</code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <ErrorNote error={error} />
        <FormActions
          action={action}
          look="danger"
          busy={busy}
          disabled={type !== undefined && typed !== type}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
