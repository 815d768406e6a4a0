import { eachFunction } from "./tree.ts";

/** An IPv4 address, as a regular expression. */
const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const IPV4 = `(${OCTET}[.]){3}${OCTET}`;
const GROUPS = "[0-9a-f]{1,4}(:[0-9a-f]{1,4})*";
/** An IPv6 address without an IPv4 address at its end. The number of its groups is checked elsewhere. */
const IPV6 = `(${GROUPS})?(::(${GROUPS})?)?`;
/** The prefix of an IPv4 address in IPv6 form (RFC 4291 section 2.5.5.2), in hexadecimal. */
const MAPPED = "00000000000000000000ffff";
/**
 * The prefix of local names in a macro, written `@` below. A plain name could also be a table or a column of the statement.
 */
const LOCAL = "mooring_";
/** Longer texts are not compared, because the engine can't be interrupted while it compares them. */
const COMPARED_CHARS_MAX = 256;

interface Macro {
  readonly sql: string;
  /** The macros that this one calls. */
  readonly uses?: readonly string[];
}

/**
 * Additional functions, as macros of the engine. A macro evaluates an argument wherever it is named. So an argument that is
 * used twice is put into a list of one element, and a lambda gets its value.
 */
const MACROS: Readonly<Record<string, Macro>> = {
  width_bucket: {
    sql: `(operand, low, high, buckets) AS list_transform([struct_pack(x := operand::DOUBLE, a := low::DOUBLE, b := high::DOUBLE, n := buckets::BIGINT)], lambda @v: CASE
      WHEN @v.a = @v.b OR @v.n < 1 OR NOT isfinite(@v.a) OR NOT isfinite(@v.b) OR isnan(@v.x) OR @v.a IS NULL OR @v.b IS NULL OR @v.n IS NULL OR @v.x IS NULL THEN NULL
      WHEN @v.a < @v.b AND @v.x < @v.a OR @v.a > @v.b AND @v.x > @v.a THEN 0
      WHEN @v.a < @v.b AND @v.x >= @v.b OR @v.a > @v.b AND @v.x <= @v.b THEN @v.n + 1
      ELSE floor((@v.x - @v.a) / (@v.b - @v.a) * @v.n)::BIGINT + 1 END)[1]`,
  },
  levenshtein: { sql: compared("levenshtein") },
  jaro_winkler_similarity: { sql: compared("jaro_winkler_similarity") },
  increase: {
    sql: `(value, ts) AS list_sum(list_transform([list(value::DOUBLE ORDER BY ts) FILTER (WHERE value IS NOT NULL AND ts IS NOT NULL)], lambda @l: CASE WHEN len(@l) > 1
      THEN list_sum(list_transform(list_zip(@l[2:len(@l)], @l[1:len(@l) - 1]), lambda @pair: CASE WHEN @pair[1] >= @pair[2] THEN @pair[1] - @pair[2] ELSE @pair[1] END)) END))`,
  },
  rate: {
    sql: `(value, ts) AS increase(value, ts) / nullif((epoch_us(max(ts) FILTER (WHERE value IS NOT NULL)) - epoch_us(min(ts) FILTER (WHERE value IS NOT NULL))) / 1e6, 0)`,
    uses: ["increase"],
  },
  histogram_quantile: {
    // Sorts the bounds, adds up the counts of each bound, and makes every count at least as large as the previous one. Then
    // finds the bucket with the rank, and interpolates linearly in it.
    sql: `(q, le, value) AS list_transform([struct_pack(q := any_value(q)::DOUBLE, l := list(struct_pack(b := try_cast(le AS DOUBLE), n := value::DOUBLE)) FILTER (WHERE try_cast(le AS DOUBLE) IS NOT NULL AND value IS NOT NULL))],
      lambda @s: list_transform([struct_pack(q := @s.q, b := list_sort(list_distinct(list_transform(@s.l, lambda @x: @x.b))), l := @s.l)],
      lambda @s: list_transform([struct_pack(q := @s.q, b := @s.b, c := list_transform(@s.b, lambda @u: list_sum(list_transform(list_filter(@s.l, lambda @x: @x.b = @u), lambda @x: @x.n))))],
      lambda @s: list_transform([struct_pack(q := @s.q, b := @s.b, m := list_transform(range(1, len(@s.c) + 1), lambda @i: list_max(@s.c[1:@i])))],
      lambda @s: list_transform([list_position(list_transform(@s.m, lambda @x: @x >= @s.q * @s.m[len(@s.m)]), true)],
      lambda @i: CASE WHEN @s.q IS NULL OR isnan(@s.q) OR len(@s.b) < 2 OR @s.b[len(@s.b)] <> 'inf'::DOUBLE OR NOT @s.m[len(@s.m)] > 0 THEN NULL
        WHEN @s.q < 0 THEN '-inf'::DOUBLE WHEN @s.q > 1 THEN 'inf'::DOUBLE
        WHEN @i = len(@s.b) THEN @s.b[len(@s.b) - 1]
        WHEN @i = 1 AND @s.b[1] <= 0 THEN @s.b[1]
        ELSE list_transform([struct_pack(low := CASE WHEN @i = 1 THEN 0 ELSE @s.b[@i - 1] END, below := CASE WHEN @i = 1 THEN 0 ELSE @s.m[@i - 1] END)],
          lambda @p: @p.low + (@s.b[@i] - @p.low) * coalesce((@s.q * @s.m[len(@s.m)] - @p.below) / nullif(@s.m[@i] - @p.below, 0), 0))[1] END)[1])[1])[1])[1])[1]`,
  },
  time_buckets: {
    sql: `(low, high, step) AS TABLE SELECT bucket FROM range(time_bucket(step::INTERVAL, low::TIMESTAMPTZ), high::TIMESTAMPTZ, step::INTERVAL) AS t(bucket)`,
  },
  // The address as 32 hexadecimal digits, IPv4 in its mapped form. NULL for text that is not an address.
  mooring_address: {
    sql: `(address) AS list_transform([lower(address)], lambda @t: CASE
      WHEN regexp_full_match(@t, '${IPV4}') THEN '${MAPPED}' || list_reduce(list_transform(string_split(@t, '.'), lambda @o: printf('%02x', @o::INTEGER)), lambda @x, @y: @x || @y)
      ELSE list_transform([CASE WHEN regexp_matches(@t, ':${IPV4}$') THEN regexp_extract(@t, '^(.*:)[0-9.]+$', 1) || list_reduce(list_transform(list_zip([1, 2, 3, 4], string_split(regexp_extract(@t, '[0-9.]+$'), '.')),
        lambda @o: printf('%02x', @o[2]::INTEGER) || CASE WHEN @o[1] = 2 THEN ':' ELSE '' END), lambda @x, @y: @x || @y) ELSE @t END],
        lambda @u: CASE WHEN regexp_full_match(@u, '${IPV6}') THEN list_transform([[list_filter(string_split(split_part(@u, '::', 1), ':'), lambda @g: @g <> ''), list_filter(string_split(split_part(@u, '::', 2), ':'), lambda @g: @g <> '')]],
          lambda @p: CASE WHEN CASE WHEN contains(@u, '::') THEN len(@p[1]) + len(@p[2]) <= 7 ELSE len(@p[1]) = 8 END
            THEN array_to_string(list_transform(@p[1], lambda @g: lpad(@g, 4, '0')), '') || repeat('0000', 8 - len(@p[1]) - len(@p[2])) || array_to_string(list_transform(@p[2], lambda @g: lpad(@g, 4, '0')), '') END)[1] END)[1] END)[1]`,
  },
  in_network: {
    sql: `(address, cidr) AS list_transform([struct_pack(a := mooring_address(address::VARCHAR), t := cidr::VARCHAR, n := mooring_address(split_part(cidr::VARCHAR, '/', 1)))], lambda @x: list_transform([CASE
      WHEN NOT contains(@x.t, '/') THEN 128
      WHEN regexp_full_match(@x.t, '[^/]+/[0-9]{1,3}') THEN list_transform([split_part(@x.t, '/', 2)::INTEGER + CASE WHEN contains(@x.t, ':') THEN 0 ELSE 96 END], lambda @b: CASE WHEN @b <= 128 THEN @b END)[1] END],
      lambda @b: CASE WHEN @x.a IS NULL OR @x.n IS NULL OR @b IS NULL THEN NULL
        WHEN @b < 96 AND starts_with(@x.a, '${MAPPED}') THEN false
        ELSE left(@x.a, @b // 4) = left(@x.n, @b // 4) AND (@b % 4 = 0 OR ${digit("@x.a")} >> (4 - @b % 4) = ${digit("@x.n")} >> (4 - @b % 4)) END)[1])[1]`,
    uses: ["mooring_address"],
  },
};

/** Returns the statements that create the additional functions of a syntax tree, dependencies first. */
export function macroStatements(tree: unknown): string[] {
  const names = new Set<string>();
  const need = (name: string): void => {
    const macro = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
    if (macro === undefined || names.has(name)) return;
    macro.uses?.forEach(need);
    names.add(name);
  };
  eachFunction(tree, need);
  return [...names].map(
    (name) => `CREATE OR REPLACE TEMP MACRO ${name}${(MACROS[name]?.sql ?? "").replaceAll("@", LOCAL)}`,
  );
}

function compared(name: string): string {
  const isShort = (text: string): string => `length(${text}) <= ${COMPARED_CHARS_MAX}`;
  return `(a, b) AS CASE WHEN ${isShort("a")} AND ${isShort("b")} THEN system.main.${name}(a, b) END`;
}

/** Returns SQL for the hexadecimal digit in which a prefix of `b` bits ends. */
function digit(text: string): string {
  return `(strpos('0123456789abcdef', substr(${text}, @b // 4 + 1, 1)) - 1)`;
}
