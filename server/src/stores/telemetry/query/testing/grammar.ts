import type { Targets } from "./attacks.ts";

/** Numbers that look random and depend on the seed only (xorshift32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed | 0) === 0 ? 1 : seed | 0;
  }

  /** A whole number from 0 to `below` − 1. */
  below(below: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % below;
  }

  /** True in `percent` of the calls. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Between `least` and `most` texts, joined. */
  list(least: number, most: number, make: () => string, separator = ", "): string {
    return Array.from({ length: least + this.below(most - least + 1) }, make).join(separator);
  }
}

/** A function and its parameters, with the engine's names of types. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly string[];
}

export interface Vocabulary {
  /** Functions that a statement may call. */
  readonly allowed: readonly Signature[];
  /** Every function that the engine knows, allowed or not. */
  readonly functions: readonly string[];
  readonly tableFunctions: readonly string[];
  readonly targets: Targets;
  /** Whole statements, whose parts are combined into new ones. */
  readonly statements: readonly string[];
}

const TABLES = ["logs", "metrics", "traces"] as const;
const FORBIDDEN_TABLES = [
  "duckdb_settings()",
  "duckdb_views",
  "information_schema.tables",
  "pg_catalog.pg_class",
  "sqlite_master",
  "system.main.duckdb_views",
  "pragma_database_list",
  "temp.logs",
];
type Table = (typeof TABLES)[number];

const ANYWHERE = {
  text: ["'GET /api/items/1'", "project_id", "'a-b'"],
  number: ["3", "0.5", "epoch_us(timestamp)"],
  time: ["timestamp", "now()", "TIMESTAMPTZ '2026-11-20 08:05:00'", "timestamp - INTERVAL 5 MINUTE"],
  json: ["'{\"a\":[1,2]}'::JSON", "to_json(timestamp)"],
  list: ["[1, 2, 3]", "range(10)", "['a', 'b']"],
};
const WITH_ATTRIBUTES = {
  text: ["attributes->>'user'", "service", "trace_id"],
  number: ["(attributes->>'duration')::DOUBLE"],
  json: ["attributes", "attributes->'nested'"],
  list: ["json_keys(attributes)"],
};
/** Expressions for a value of each type in each table. */
const COLUMNS: Readonly<Record<Table, Readonly<Record<keyof typeof ANYWHERE, readonly string[]>>>> = {
  logs: {
    text: [...ANYWHERE.text, ...WITH_ATTRIBUTES.text, "message", "message", "level"],
    number: [...ANYWHERE.number, ...WITH_ATTRIBUTES.number, "severity"],
    time: ANYWHERE.time,
    json: [...ANYWHERE.json, ...WITH_ATTRIBUTES.json],
    list: [...ANYWHERE.list, ...WITH_ATTRIBUTES.list, "string_split(message, ' ')"],
  },
  metrics: {
    text: [...ANYWHERE.text, "name", "tags['host']"],
    number: [...ANYWHERE.number, "value", "value"],
    time: ANYWHERE.time,
    json: [...ANYWHERE.json, "to_json(tags)"],
    list: [...ANYWHERE.list, "map_keys(tags)"],
  },
  traces: {
    text: [...ANYWHERE.text, ...WITH_ATTRIBUTES.text, "name", "status", "kind"],
    number: [...ANYWHERE.number, ...WITH_ATTRIBUTES.number, "duration_ms"],
    time: ANYWHERE.time,
    json: [...ANYWHERE.json, ...WITH_ATTRIBUTES.json],
    list: [...ANYWHERE.list, ...WITH_ATTRIBUTES.list],
  },
};
type Kind = keyof typeof ANYWHERE;
const KINDS = Object.keys(ANYWHERE) as Kind[];
const TYPES = ["VARCHAR", "VARCHAR", "INT", "DOUBLE", "BIGINT", "HUGEINT", "JSON", "BLOB", "INT[]"];
const ODD_TYPES = ["VARIANT", "REGCLASS", "TIMESTAMPTZ", "DATE", "GEOMETRY", "BIT", "ENUM('a')", "UNION(a INT)"];
const WINDOWS = ["row_number()", "lag(timestamp)", "count(*)", "ntile(4)", "first_value(timestamp)"];
const SET_OPERATIONS = ["UNION ALL", "EXCEPT", "INTERSECT", "UNION BY NAME"];

function kindOf(type: string): Kind {
  if (/\[\]|LIST|ARRAY/.test(type)) return "list";
  if (/INT|DOUBLE|FLOAT|DECIMAL|NUM/.test(type)) return "number";
  if (/TIME|DATE/.test(type)) return "time";
  return /JSON|ANY|MAP|STRUCT/.test(type) ? "json" : "text";
}

/** Generates statements: most are SELECTs of any form, some try something forbidden, some combine the parts of others. */
export class Grammar {
  readonly #random: Random;
  readonly #words: Vocabulary;
  /** The table of the current SELECT. */
  #table: Table = "logs";
  /** Whether the statement may try forbidden parts. */
  #bold = false;

  constructor(random: Random, words: Vocabulary) {
    this.#random = random;
    this.#words = words;
  }

  statement(): string {
    const random = this.#random;
    this.#bold = random.chance(25);
    const way = random.below(100);
    if (way < 80) return this.#query(random.below(4));
    if (way < 87) return this.#forbidden();
    return way < 95 ? this.#spliced() : this.#damaged(this.#query(2));
  }

  #query(depth: number): string {
    const random = this.#random;
    const way = random.below(24);
    const inner = (): string => this.#query(depth - 1);
    if (depth > 0 && way === 0) return `${inner()} ${random.pick(SET_OPERATIONS)} ${inner()}`;
    if (depth > 0 && way === 1) return `WITH ${random.pick(["", "RECURSIVE "])}x AS (${inner()}) ${inner()}`;
    if (depth > 0 && way === 2)
      return `WITH logs AS (${inner()}), x AS (FROM logs) SELECT count(*) FROM x, logs LIMIT 3`;
    if (way === 3)
      return `${random.pick(["DESCRIBE", "SUMMARIZE"])} ${random.pick([this.#select(1), random.pick(TABLES)])}`;
    if (way === 4) return this.#over(() => `FROM ${this.#source(depth)} ${this.#where(depth)}`);
    if (way === 5) return `VALUES (${random.list(1, 3, () => this.#literal())})`;
    if (way === 6) return "PIVOT logs ON level IN ('info', 'warn') USING count(*)";
    return this.#select(depth);
  }

  /** Generates a part with another table. */
  #over(make: () => string): string {
    const outer = this.#table;
    this.#table = this.#random.pick(TABLES);
    const text = make();
    this.#table = outer;
    return text;
  }

  #select(depth: number): string {
    const random = this.#random;
    return this.#over(() => {
      const grouped = random.chance(20);
      const aliased = (): string => `${this.#expression(depth)}${random.chance(20) ? " AS a" : ""}`;
      const what = random.pick(["*", "count(*)", "", "", "", "", "DISTINCT ", "COLUMNS(*)", "* EXCLUDE (timestamp)"]);
      const list = what === "" || what === "DISTINCT " ? `${what}${random.list(1, 3, aliased)}` : what;
      const tail = [
        random.chance(60) ? this.#where(depth) : "",
        grouped ? `GROUP BY ${random.pick(["ALL", "ALL", "1", "ROLLUP (project_id, timestamp)"])}` : "",
        grouped && random.chance(30) ? "HAVING count(*) > 1" : "",
        random.chance(6) ? `QUALIFY ${random.pick(WINDOWS)} OVER (ORDER BY timestamp) < 3` : "",
        random.chance(30) ? `ORDER BY ${random.pick(["1", "ALL", "1 DESC NULLS LAST"])}` : "",
        random.chance(40) ? `LIMIT ${random.pick(["10", "1", "(SELECT 3)", "50%"])}` : "",
      ];
      return `SELECT ${list} FROM ${this.#source(depth)} ${tail.filter((part) => part !== "").join(" ")}`;
    });
  }

  #source(depth: number): string {
    const random = this.#random;
    const way = random.below(20);
    if (depth > 0 && way === 0) return `(SELECT * FROM ${this.#table} ${this.#where(depth - 1)}) s`;
    if (depth > 0 && way < 3) {
      const join = random.pick([
        "JOIN",
        "LEFT JOIN",
        "FULL JOIN",
        "SEMI JOIN",
        "ASOF JOIN",
        "POSITIONAL JOIN",
        "CROSS JOIN",
      ]);
      return `${this.#table} ${join} (${this.#query(depth - 1)}) j ${random.pick(["", "", "ON true", "USING (timestamp)"])}`;
    }
    if (way === 3) return `${this.#table}, ${random.pick(["range(3)", "unnest([1, 2])", "json_each('{\"a\":1}')"])} r`;
    if (this.#bold && way < 8) return this.#forbiddenSource();
    return random.pick([this.#table, this.#table, `main.${this.#table}`, `${this.#table} TABLESAMPLE 50%`]);
  }

  #forbiddenSource(): string {
    const random = this.#random;
    return random.pick([
      `${random.pick(this.#words.tableFunctions)}(${random.list(0, 3, () => this.#argument())})`,
      random.pick(FORBIDDEN_TABLES),
      `'${this.#path()}'`,
      `"${this.#path()}"`,
      `read_text('${this.#path()}')`,
    ]);
  }

  #where(depth: number): string {
    return `WHERE ${this.#random.list(1, 3, () => this.#condition(depth), this.#random.pick([" AND ", " OR "]))}`;
  }

  #condition(depth: number): string {
    const random = this.#random;
    const kind = random.pick(KINDS);
    const value = (): string => this.#of(kind);
    if (depth > 0 && random.chance(6)) return `EXISTS (${this.#select(depth - 1)})`;
    if (random.chance(10)) return `${value()} IN (${random.list(1, 3, value)})`;
    if (random.chance(10)) return `timestamp BETWEEN ${this.#of("time")} AND ${this.#of("time")}`;
    if (random.chance(15))
      return `${this.#of("text")} ${random.pick(["LIKE", "ILIKE", "~", "SIMILAR TO", "GLOB"])} '%a_'`;
    if (random.chance(15)) return `${this.#expression(depth - 1)} IS ${random.pick(["NULL", "NOT NULL"])}`;
    return `${value()} ${random.pick(["=", "<>", "<", ">=", "IS NOT DISTINCT FROM"])} ${value()}`;
  }

  #of(kind: Kind): string {
    return this.#random.pick(COLUMNS[this.#table][kind]);
  }

  #expression(depth: number): string {
    const random = this.#random;
    if (depth <= 0 || random.chance(30)) return random.chance(80) ? this.#of(random.pick(KINDS)) : this.#literal();
    const next = (): string => this.#expression(depth - 1);
    switch (random.below(14)) {
      case 0:
        return `CASE WHEN ${this.#condition(depth - 1)} THEN ${next()} END`;
      case 1:
        return `${random.pick(["CAST", "TRY_CAST", "TRY_CAST"])}(${next()} AS ${random.pick(this.#bold ? ODD_TYPES : TYPES)})`;
      case 2:
        return `(${this.#select(depth - 1)} LIMIT 1)`;
      case 3:
        return `${random.pick(WINDOWS)} OVER (PARTITION BY ${this.#of("text")} ORDER BY timestamp)`;
      case 4:
        return `list_transform(${this.#of("list")}, e -> ${random.pick(["e", this.#of("text"), "(e, e)"])})`;
      case 5:
        return `(${this.#of("number")} ${random.pick(["+", "-", "*", "%", "/", "//", "^"])} ${this.#of("number")})`;
      case 6:
        return `(${this.#of("text")} || ${this.#of("text")})`;
      case 7:
        return `{'a': ${next()}, 'b': ${next()}}${random.pick(["", ".a", "['b']"])}`;
      case 8:
        return this.#bold ? this.#odd(next) : `(${this.#of("json")} ${random.pick(["->", "->>"])} 'a')`;
      default:
        return this.#call(depth);
    }
  }

  /** Calls a forbidden function, or an allowed one in an unusual form. */
  #odd(next: () => string): string {
    const random = this.#random;
    const name = random.pick(this.#words.functions);
    const parameters = random.list(0, 3, () => (random.chance(70) ? next() : this.#argument()));
    return random.pick([
      `${name}(${parameters})`,
      `(${this.#of("text")}).${name}(${parameters})`,
      `main.${name}(${parameters})`,
    ]);
  }

  /** Calls an allowed function, mostly with parameters of the right types. */
  #call(depth: number): string {
    const { name, parameters } = this.#random.pick(this.#words.allowed);
    const fitting = (type: string): string =>
      this.#random.chance(90) ? this.#of(kindOf(type)) : this.#expression(depth - 1);
    return `${name}(${parameters.map(fitting).join(", ")})`;
  }

  #argument(): string {
    return this.#random.chance(40) ? `'${this.#path()}'` : this.#literal();
  }

  #literal(): string {
    const random = this.#random;
    return random.pick([
      String(random.below(1000)),
      "0",
      "-1",
      "9223372036854775807",
      "1e308",
      "NULL",
      "true",
      "''",
      "'u1'",
      "'info'",
      "'%a%'",
      "'threads'",
      "'sum'",
      "'\\u0000'",
      "INTERVAL 1 DAY",
      "DATE '2026-11-20'",
      "'[1, {\"a\": null}]'",
      "[]",
      "MAP {'k': 1}",
      `'${this.#path()}'`,
    ]);
  }

  #path(): string {
    const { otherFile, ownHot, ownParquet, ownDir, secretFile } = this.#words.targets;
    const paths = [otherFile, ownHot, ownParquet, ownDir, secretFile, `${ownDir}/../other/logs.parquet`, `${ownDir}/*`];
    return this.#random.pick([
      ...paths,
      "/etc/passwd",
      "/proc/self/environ",
      "/dev/stdout",
      "file:///etc/passwd",
      "~/x",
    ]);
  }

  /** Generates a statement that changes something. */
  #forbidden(): string {
    const random = this.#random;
    const path = this.#path();
    return random.pick([
      `COPY (${this.#query(1)}) TO '${path}'`,
      `COPY logs FROM '${path}'`,
      `ATTACH '${path}' AS a`,
      `CREATE ${random.pick(["TABLE", "VIEW", "TEMP TABLE", "MACRO"])} t AS ${this.#query(1)}`,
      `INSERT INTO logs ${this.#query(1)}`,
      `SET ${random.pick(["memory_limit", "threads", "allowed_paths", "enable_external_access"])} = ${this.#literal()}`,
      `PRAGMA ${random.pick(this.#words.functions)}(${this.#argument()})`,
      `CALL ${random.pick(this.#words.tableFunctions)}(${this.#argument()})`,
      `EXPLAIN ANALYZE ${this.#query(1)}`,
      `${this.#query(1)}; ${this.#query(1)}`,
      `${random.pick(["DROP VIEW", "DELETE FROM", "TRUNCATE", "VACUUM", "CHECKPOINT", "USE"])} logs`,
      `EXPORT DATABASE '${path}'`,
      `LOAD '${path}'`,
      `PREPARE p AS ${this.#query(1)}`,
    ]);
  }

  /** Joins the beginning of one statement and the end of another. */
  #spliced(): string {
    const random = this.#random;
    const words = (text: string): string[] => text.split(/(?<=\s|\(|,)/);
    const first = words(random.pick(this.#words.statements));
    const second = words(random.chance(50) ? this.#query(1) : random.pick(this.#words.statements));
    return [...first.slice(0, random.below(first.length + 1)), ...second.slice(random.below(second.length))].join("");
  }

  /** Removes, doubles or replaces a part of a statement. */
  #damaged(text: string): string {
    const random = this.#random;
    const [a, b] = [random.below(text.length + 1), random.below(text.length + 1)].toSorted((x, y) => x - y);
    const odd = random.pick([
      "'",
      '"',
      "--",
      "/*",
      "*/",
      ";",
      "$$",
      "\0",
      "\u202e",
      "\ud800",
      "é",
      "(",
      ")",
      "[",
      "::",
      "?",
      "$1",
    ]);
    const [before, piece, rest] = [text.slice(0, a), text.slice(a, b), text.slice(b)];
    return random.pick([before + rest, before + piece + piece + rest, before + odd + piece + rest]);
  }
}
