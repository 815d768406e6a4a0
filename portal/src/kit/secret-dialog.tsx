import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyBlock, OnCopied } from "./copy.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { Facts } from "./page.tsx";

interface SecretDialogProps {
  title: string;
  /** The name of the secret's field: "Client secret". */
  label: string;
  /** Null in a repeated answer, which has no secret. */
  secret: string | null;
  /** Values that are shown with the secret, for example the client id. */
  beside?: readonly (readonly [label: string, text: string])[];
  /** How to get another secret if this one is lost. */
  another: string;
  /** A button for the next step, which closes the dialog. */
  next?: { readonly label: string; readonly onNext: () => void };
  onClose: () => void;
  /** How the secret is used. */
  children?: ReactNode;
}

/** Shows a secret once. Until the secret or a text with it is copied, the first attempt to close the dialog asks again. */
export function SecretDialog(props: SecretDialogProps): ReactNode {
  const { title, label, secret, beside = [], another, next, onClose, children } = props;
  const [isAsked, setIsAsked] = useState(false);
  const [isCopied, setIsCopied] = useState(secret === null);
  const noteCopied = (text: string): void => {
    if (secret !== null && text.includes(secret)) setIsCopied(true);
  };
  const leave = (then: () => void) => () => (isCopied || isAsked ? then() : setIsAsked(true));
  return (
    <Dialog
      holdsSecret
      title={title}
      about="The secret is shown only once. Save it before you close this dialog."
      onClose={leave(onClose)}
      wide
    >
      {isAsked && !isCopied && (
        <p role="alert" className="rounded border border-warn bg-warn-2 px-3 py-2">
          The secret cannot be shown again. {another} To close the dialog anyway, close it again.
        </p>
      )}
      {secret === null && <p>The request was repeated, and a secret is shown only once. {another}</p>}
      <OnCopied value={noteCopied}>
        {/* Also notices copies by the browser's keys. */}
        <div className="contents" onCopy={() => noteCopied(String(getSelection()))}>
          <Facts
            items={[...beside, ...(secret === null ? [] : [[label, secret] as const])].map(([name, text]) => [
              name,
              <CopyBlock key={name} text={text} label={name} />,
            ])}
          />
          {children}
        </div>
      </OnCopied>
      <DialogActions>
        {next !== undefined && <Button onClick={leave(next.onNext)}>{next.label}</Button>}
        <Button look="main" onClick={onClose}>
          {secret === null ? "Close" : "I have saved the secret"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
