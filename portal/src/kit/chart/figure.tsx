import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import type { Level } from "./model.ts";
import { Sparkline } from "./spark.tsx";

interface FigureProps {
  title: string;
  /** The value and its unit: `438 /s`. */
  value: string;
  /** The change in words: `+9 % on the day before`. */
  change?: ReactNode;
  tone?: "bad" | "good" | "plain";
  /** The course of the value, with its description. */
  course?: { readonly values: readonly (number | null)[]; readonly label: string; readonly level?: Level | undefined };
}

const TONES = { bad: "text-stop", good: "text-go", plain: "text-ink-2" } as const;

/** One figure: the last value, the change in words, and the course. */
export function Figure({ title, value, change, tone = "plain", course }: FigureProps): ReactNode {
  const [number = "", ...unit] = value.split(" ");
  return (
    <div className="min-w-0">
      <h3 className="text-s text-ink-2">{title}</h3>
      <p className="ch-figure">
        {number}
        {unit.length > 0 && <small> {unit.join(" ")}</small>}
      </p>
      <p className={cn("mb-1 min-h-[17px] truncate text-s", TONES[tone])}>{change}</p>
      {course !== undefined && (
        <Sparkline values={course.values} label={course.label} level={course.level} className="h-6 w-full" />
      )}
    </div>
  );
}
