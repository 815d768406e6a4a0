import { useState, type InputHTMLAttributes, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Field, TextInput } from "./field.tsx";

interface PasswordFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** A password field with a button that shows the password, instead of a second field. Pasting is allowed. */
export function PasswordField({ label, hint, error, ...input }: PasswordFieldProps): ReactNode {
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(bound) => (
        <div className="flex gap-2">
          <TextInput {...bound} {...input} type={shown ? "text" : "password"} autoCapitalize="none" />
          <Button aria-label={shown ? "Hide the password" : "Show the password"} onClick={() => setShown(!shown)}>
            {shown ? "Hide" : "Show"}
          </Button>
        </div>
      )}
    </Field>
  );
}
