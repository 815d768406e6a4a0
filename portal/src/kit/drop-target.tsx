import { useEffect, useRef, useState, type ReactNode } from "react";
import { useSay } from "./toast.tsx";
import { filesDropped, type ChosenFile } from "./dropped.ts";

/** Accepts files that are dropped anywhere on the page, and shows this during the drag. */
export function DropTarget({ onFiles }: { onFiles: (files: readonly ChosenFile[]) => void }): ReactNode {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  const say = useSay();
  useEffect(() => {
    const has = (event: DragEvent): event is DragEvent & { dataTransfer: DataTransfer } =>
      event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!has(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!has(event)) return;
      event.preventDefault();
      setOver(false);
      filesDropped(event.dataTransfer).then(
        (files) => latest.current(files),
        () => say("The dropped files cannot be read", "stop"),
      );
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, [say]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center rounded border-2 border-dashed border-sea bg-sea-2/80 text-l">
      Drop to upload
    </div>
  );
}
