import type { TelemetryType } from "#stores/telemetry/index.ts";

/** The required type of a member's value. */
export type MemberKind = "timestamp" | "text" | "level" | "status" | "number" | "attributes" | "tags";

export interface Member {
  readonly kind: MemberKind;
  /** A different bit for each member of the type. */
  readonly bit: number;
}

export interface Members {
  /** The bits of the required members. */
  readonly required: number;
  /** Returns the member whose name is from `from` to before `to`; null for an unknown name. */
  find(bytes: Buffer, from: number, to: number): Member | null;
}

interface Named extends Member {
  readonly name: Buffer;
}

type Table = readonly (readonly [name: string, kind: MemberKind, required: boolean])[];

const LOGS: Table = [
  ["timestamp", "timestamp", true],
  ["level", "level", true],
  ["message", "text", true],
  ["attributes", "attributes", false],
  ["service", "text", false],
  ["trace_id", "text", false],
  ["span_id", "text", false],
];

const METRICS: Table = [
  ["timestamp", "timestamp", true],
  ["name", "text", true],
  ["value", "number", true],
  ["tags", "tags", false],
];

const TRACES: Table = [
  ["timestamp", "timestamp", true],
  ["trace_id", "text", true],
  ["span_id", "text", true],
  ["name", "text", true],
  ["duration_ms", "number", true],
  ["status", "status", true],
  ["attributes", "attributes", false],
  ["parent_span_id", "text", false],
  ["kind", "text", false],
  ["service", "text", false],
];

const MEMBERS: Readonly<Record<TelemetryType, Members>> = {
  logs: compiled(LOGS),
  metrics: compiled(METRICS),
  traces: compiled(TRACES),
};

export function membersOf(type: TelemetryType): Members {
  return MEMBERS[type];
}

function compiled(table: Table): Members {
  const all: Named[] = table.map(([name, kind], i) => ({ name: Buffer.from(name), kind, bit: 1 << i }));
  const byLength: Named[][] = [];
  for (const member of all) (byLength[member.name.length] ??= []).push(member);
  return {
    required: table.reduce((bits, [, , required], i) => (required ? bits | (1 << i) : bits), 0),
    find: (bytes, from, to) => {
      const candidates = byLength[to - from];
      if (candidates === undefined) return null;
      for (const member of candidates) if (stands(member.name, bytes, from)) return member;
      return null;
    },
  };
}

function stands(name: Buffer, bytes: Buffer, from: number): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false;
  return true;
}
