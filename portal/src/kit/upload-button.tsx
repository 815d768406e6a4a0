import { useRef, type ReactNode } from "react";
import { Button } from "./button.tsx";
import type { ChosenFile } from "./dropped.ts";

interface UploadButtonProps {
  isMain?: boolean;
  /** Why the person can't upload; undefined: they can. */
  why: string | undefined;
  onFiles: (files: readonly ChosenFile[]) => void;
  children: ReactNode;
}

/** A button that opens the browser's file dialog. */
export function UploadButton({ isMain = false, why, onFiles, children }: UploadButtonProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])].map((file) => ({ file, name: file.name })));
          target.value = ""; // so that the same file can be chosen again
        }}
      />
      <Button
        look={isMain ? "main" : "plain"}
        disabled={why !== undefined}
        title={why}
        onClick={() => input.current?.click()}
      >
        {children}
      </Button>
    </>
  );
}
