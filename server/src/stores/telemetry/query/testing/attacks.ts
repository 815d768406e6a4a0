/** Statements whose attempt must fail. */
export interface Attack {
  readonly name: string;
  readonly sql: string;
}

export interface Targets {
  /** A file of another organization, in the same telemetry directory. */
  readonly otherFile: string;
  /** The organization's own hot and Parquet files. */
  readonly ownHot: string;
  readonly ownParquet: string;
  /** The directory of the organization's files. */
  readonly ownDir: string;
  /** A secret beside the telemetry directory. */
  readonly secretFile: string;
}

/** Statements that read outside of the tables. The gate must refuse all of them. */
export function readingAttacks(targets: Targets): Attack[] {
  return [...fileAttacks(targets), ...catalogAttacks(targets)];
}

/** Statements that change something, run something else, or overload the parser. The gate must refuse all of them. */
export function writingAttacks(targets: Targets): Attack[] {
  return [...copyAttacks(targets), ...statementAttacks(targets), ...shapeAttacks(targets)];
}

function fileAttacks({ otherFile, ownHot, ownParquet, ownDir, secretFile }: Targets): Attack[] {
  return [
    { name: "another organization's Parquet", sql: `SELECT * FROM read_parquet('${otherFile}')` },
    { name: "another organization's Parquet as a table", sql: `SELECT * FROM '${otherFile}'` },
    { name: "a file as a quoted table", sql: `SELECT * FROM "${otherFile}"` },
    { name: "dots", sql: `SELECT * FROM '${ownDir}/../other/logs.parquet'` },
    { name: "double slash", sql: `SELECT * FROM read_parquet('/${otherFile}')` },
    { name: "file: address", sql: `SELECT * FROM read_parquet('file:${otherFile}')` },
    { name: "file:// address", sql: `SELECT * FROM read_parquet('file://${otherFile}')` },
    { name: "glob in a reader", sql: `SELECT * FROM read_parquet('${ownDir}/../*/*.parquet')` },
    { name: "glob()", sql: `SELECT * FROM glob('${ownDir}/*')` },
    { name: "symlink to /etc", sql: `SELECT * FROM read_text('${ownDir}/link')` },
    { name: "/etc/passwd by read_text", sql: "SELECT * FROM read_text('/etc/passwd')" },
    { name: "/etc/passwd by read_csv", sql: "SELECT * FROM read_csv('/etc/passwd', sep=':')" },
    { name: "/etc/passwd by read_csv_auto", sql: "SELECT * FROM read_csv_auto('/etc/passwd')" },
    { name: "/etc/passwd by read_blob", sql: "SELECT * FROM read_blob('/etc/passwd')" },
    { name: "a secret beside the store", sql: `SELECT * FROM read_text('${secretFile}')` },
    { name: "own hot file by read_json", sql: `SELECT * FROM read_json('${ownHot}')` },
    { name: "own hot file by read_json_auto", sql: `SELECT * FROM read_json_auto('${ownHot}')` },
    { name: "own hot file by read_json_objects", sql: `SELECT * FROM read_json_objects('${ownHot}')` },
    { name: "own hot file by read_ndjson", sql: `SELECT * FROM read_ndjson('${ownHot}')` },
    { name: "own hot file by read_ndjson_objects", sql: `SELECT * FROM read_ndjson_objects('${ownHot}')` },
    { name: "own file in a subquery", sql: `SELECT (SELECT content FROM read_text('${ownHot}'))` },
    {
      name: "own file in a common table expression",
      sql: `WITH x AS (SELECT * FROM read_text('${ownHot}')) SELECT * FROM x`,
    },
    { name: "own file in a lateral join", sql: `SELECT * FROM logs, LATERAL (SELECT * FROM read_text('${ownHot}'))` },
    {
      name: "own file in a set operation",
      sql: `SELECT 1 UNION ALL SELECT length(content) FROM read_text('${ownHot}')`,
    },
    { name: "environment of the process", sql: "SELECT * FROM read_text('/proc/self/environ')" },
    { name: "home directory", sql: "SELECT * FROM read_text('~/.profile')" },
    { name: "http", sql: "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')" },
    { name: "http as a table", sql: "SELECT * FROM 'https://127.0.0.1:1/x.parquet'" },
    { name: "s3", sql: "SELECT * FROM read_parquet('s3://bucket/x.parquet')" },
    { name: "sniff_csv", sql: "SELECT * FROM sniff_csv('/etc/passwd')" },
    { name: "read_duckdb", sql: `SELECT * FROM read_duckdb('${ownDir}/x.db')` },
    { name: "seq_scan", sql: "SELECT * FROM seq_scan('logs')" },
    { name: "parquet_metadata", sql: `SELECT * FROM parquet_metadata('${ownParquet}')` },
    { name: "parquet_schema", sql: `SELECT * FROM parquet_schema('${ownParquet}')` },
    { name: "parquet_kv_metadata", sql: `SELECT * FROM parquet_kv_metadata('${ownParquet}')` },
    { name: "getenv", sql: "SELECT getenv('HOME')" },
  ];
}

/** Statements that read settings, the catalog, missing tables, or names out of scope. */
function catalogAttacks({ otherFile, ownHot }: Targets): Attack[] {
  return [
    { name: "settings", sql: "SELECT * FROM duckdb_settings()" },
    { name: "a setting", sql: "SELECT current_setting('temp_directory')" },
    { name: "view texts", sql: "SELECT sql FROM duckdb_views()" },
    { name: "view texts by view", sql: "SELECT * FROM duckdb_views" },
    { name: "databases", sql: "SELECT * FROM duckdb_databases()" },
    { name: "file cache", sql: "SELECT * FROM duckdb_external_file_cache()" },
    { name: "functions", sql: "SELECT * FROM duckdb_functions()" },
    { name: "memory", sql: "SELECT * FROM duckdb_memory()" },
    { name: "log", sql: "SELECT * FROM duckdb_logs()" },
    { name: "secrets", sql: "SELECT * FROM duckdb_secrets()" },
    { name: "pragma as a table function", sql: "SELECT * FROM pragma_database_size()" },
    { name: "information schema", sql: "SELECT * FROM information_schema.tables" },
    { name: "pg_catalog", sql: "SELECT * FROM pg_catalog.pg_class" },
    { name: "sqlite_master", sql: "SELECT * FROM sqlite_master" },
    { name: "a table of another catalog", sql: "SELECT * FROM system.main.duckdb_views" },
    { name: "a table that does not exist", sql: "SELECT * FROM passwords" },
    { name: "SHOW DATABASES", sql: "SHOW DATABASES" },
    { name: "SHOW TABLES of a schema", sql: "SHOW TABLES FROM system.main" },
    { name: "SHOW TABLES within", sql: "SELECT * FROM (SHOW TABLES)" },
    { name: "EXPLAIN of a file", sql: `EXPLAIN SELECT * FROM read_parquet('${otherFile}')` },
    { name: "EXPLAIN of the catalog", sql: "EXPLAIN SELECT * FROM duckdb_views()" },
    { name: "SHOW ALL TABLES", sql: "SHOW ALL TABLES" },
    { name: "DESCRIBE without a table", sql: "DESCRIBE" },
    { name: "DESCRIBE of a file", sql: `DESCRIBE SELECT * FROM read_parquet('${otherFile}')` },
    { name: "SUMMARIZE of a file", sql: `SUMMARIZE '${otherFile}'` },
    { name: "a name out of scope", sql: `SELECT * FROM (WITH "duckdb_views" AS (SELECT 1) SELECT 1) a, duckdb_views` },
    {
      name: "a file name as a common table expression, out of scope",
      sql: `SELECT * FROM (WITH "${otherFile}" AS (SELECT 1) SELECT 1) a, "${otherFile}"`,
    },
    {
      name: "a common table expression that names the catalog's table itself",
      sql: "WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT * FROM sqlite_master",
    },
    {
      name: "a name of a later common table expression",
      sql: "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
    },
    { name: "a function of another schema", sql: "SELECT pg_catalog.current_setting('threads')" },
    { name: "a function of another catalog", sql: "SELECT system.main.current_setting('threads')" },
    { name: "a list of readers", sql: `SELECT list_transform(['${ownHot}'], x -> read_text(x))` },
    { name: "query()", sql: "SELECT * FROM query('SELECT 1')" },
    { name: "query_table()", sql: `SELECT * FROM query_table('${otherFile}')` },
    { name: "query_table() of logs", sql: "SELECT * FROM query_table(['logs'])" },
    { name: "histogram over a table", sql: "SELECT * FROM histogram('duckdb_views', sql)" },
    { name: "histogram_values over a table", sql: "SELECT * FROM histogram_values('duckdb_views', sql)" },
    { name: "an aggregate by a name that is not one", sql: "SELECT list_aggregate([1], 'current_setting')" },
    { name: "an aggregate by a computed name", sql: "SELECT list_aggregate([1], 'su' || 'm')" },
    { name: "an older version of a table", sql: "SELECT * FROM logs AT (VERSION => 1)" },
    { name: "the type of a catalog", sql: "SELECT 'logs'::regclass" },
    { name: "version", sql: "SELECT version()" },
    { name: "a variable", sql: "SELECT getvariable('x')" },
    { name: "the file name of a row", sql: "SELECT filename FROM logs" },
    { name: "the file name of a row, qualified", sql: "SELECT logs.filename, logs.file_row_number FROM logs" },
    { name: "the file name of a row by pattern", sql: "SELECT COLUMNS('^file') FROM logs" },
    { name: "current_query", sql: "SELECT current_query()" },
  ];
}

function copyAttacks({ ownParquet, ownDir }: Targets): Attack[] {
  return [
    { name: "COPY TO in the own directory", sql: `COPY (SELECT 1) TO '${ownDir}/evil.csv'` },
    {
      name: "COPY TO over the own file",
      sql: `COPY (SELECT 1 AS x) TO '${ownParquet}' (FORMAT parquet, use_tmp_file false)`,
    },
    { name: "COPY TO outside", sql: "COPY (SELECT 1) TO '/tmp/evil.csv'" },
    {
      name: "partitioned COPY",
      sql: `COPY (SELECT 1 AS a, 2 AS b) TO '${ownDir}/evil' (FORMAT parquet, PARTITION_BY (a))`,
    },
    { name: "COPY FROM", sql: "COPY logs FROM '/etc/passwd'" },
    { name: "EXPLAIN ANALYZE COPY", sql: `EXPLAIN ANALYZE COPY (SELECT 1) TO '${ownDir}/evil.csv'` },
    { name: "EXPLAIN ANALYZE CREATE", sql: "EXPLAIN ANALYZE CREATE TABLE evil AS SELECT 1" },
    { name: "EXPLAIN behind a comment of COPY", sql: `/* x */ EXPLAIN COPY (SELECT 1) TO '${ownDir}/evil.csv'` },
    { name: "EXPLAIN of EXPLAIN", sql: "EXPLAIN EXPLAIN ANALYZE CREATE TABLE evil AS SELECT 1" },
    { name: "EXPLAIN with options", sql: "EXPLAIN (FORMAT html) SELECT 1" },
    { name: "EXPORT DATABASE", sql: `EXPORT DATABASE '${ownDir}/evil'` },
    { name: "IMPORT DATABASE", sql: `IMPORT DATABASE '${ownDir}'` },
    { name: "ATTACH a new file", sql: `ATTACH '${ownDir}/evil.db'` },
    { name: "ATTACH memory", sql: "ATTACH ':memory:' AS m" },
  ];
}

function statementAttacks({ ownDir }: Targets): Attack[] {
  return [
    { name: "CREATE TABLE", sql: "CREATE TABLE evil AS SELECT 1" },
    { name: "CREATE VIEW over the table", sql: "CREATE OR REPLACE VIEW logs AS SELECT 1" },
    { name: "CREATE MACRO", sql: "CREATE MACRO count(x) AS 1" },
    { name: "CREATE SECRET", sql: "CREATE SECRET (TYPE s3, KEY_ID 'x', SECRET 'y')" },
    { name: "CREATE SEQUENCE", sql: "CREATE SEQUENCE s" },
    { name: "DROP VIEW", sql: "DROP VIEW logs" },
    { name: "INSERT", sql: "INSERT INTO logs SELECT * FROM logs" },
    { name: "UPDATE", sql: "UPDATE logs SET message = ''" },
    { name: "DELETE", sql: "DELETE FROM logs" },
    {
      name: "INSERT in a common table expression",
      sql: "WITH x AS (INSERT INTO logs SELECT * FROM logs RETURNING *) SELECT * FROM x",
    },
    { name: "INSTALL", sql: "INSTALL httpfs" },
    { name: "LOAD", sql: `LOAD '${ownDir}/evil.duckdb_extension'` },
    { name: "SET", sql: "SET memory_limit = '100GB'" },
    { name: "RESET", sql: "RESET lock_configuration" },
    { name: "SET VARIABLE", sql: "SET VARIABLE x = (SELECT content FROM read_text('/etc/passwd'))" },
    { name: "SET schema", sql: "SET schema = 'information_schema'" },
    { name: "USE", sql: "USE system" },
    { name: "PRAGMA", sql: "PRAGMA enable_external_access=true" },
    { name: "PRAGMA that evaluates its argument", sql: "PRAGMA database_list(repeat('x', 100000000))" },
    { name: "PREPARE", sql: "PREPARE p AS SELECT 1" },
    { name: "EXECUTE", sql: "EXECUTE p" },
    { name: "CALL", sql: "CALL pragma_version()" },
    { name: "BEGIN", sql: "BEGIN" },
    { name: "CHECKPOINT", sql: "CHECKPOINT" },
    { name: "VACUUM", sql: "VACUUM" },
    {
      name: "enable_logging to a file",
      sql: `SELECT * FROM enable_logging('QueryLog', storage='file', storage_path='${ownDir}/evil')`,
    },
    {
      name: "enable_logging outside",
      sql: "SELECT * FROM enable_logging('QueryLog', storage='file', storage_path='/proc/evil')",
    },
    { name: "enable_logging to stdout", sql: "SELECT * FROM enable_logging('QueryLog', storage='stdout')" },
    {
      name: "enable_profiling to a file",
      sql: `SELECT * FROM enable_profiling(format='json', save_location='${ownDir}/evil.json')`,
    },
    { name: "a serialised plan", sql: `SELECT * FROM json_execute_serialized_sql('{"statements":[]}')` },
    { name: "a serialised plan by pragma", sql: `PRAGMA json_execute_serialized_sql('{"statements":[]}')` },
    { name: "json_serialize_sql", sql: "SELECT json_serialize_sql('SELECT 1')" },
    { name: "checkpoint()", sql: "SELECT * FROM checkpoint()" },
    { name: "truncate_duckdb_logs()", sql: "SELECT * FROM truncate_duckdb_logs()" },
    { name: "disable_logging()", sql: "SELECT * FROM disable_logging()" },
    { name: "enable_peg_parser()", sql: "SELECT * FROM enable_peg_parser()" },
    { name: "write_log()", sql: "SELECT write_log('x')" },
    { name: "arrow_scan of an address", sql: "SELECT * FROM arrow_scan(1::bigint, 2::bigint, 3::bigint)" },
    { name: "nextval", sql: "SELECT nextval('s')" },
    { name: "setseed", sql: "SELECT setseed(0.5)" },
  ];
}

function shapeAttacks({ ownHot }: Targets): Attack[] {
  return [
    { name: "two statements", sql: "SELECT 1; SELECT 2" },
    { name: "a statement behind a comment", sql: `SELECT 1; -- x\nCOPY (SELECT 1) TO '${ownHot}'` },
    { name: "PIVOT of a file", sql: `PIVOT '${ownHot}' ON level USING count(*)` },
    { name: "PIVOT of a reader", sql: `PIVOT read_text('${ownHot}') ON content USING count(*)` },
    { name: "PIVOT by a refused function", sql: "PIVOT logs ON current_setting('threads') USING count(*)" },
    { name: "PIVOT, and another statement", sql: "PIVOT logs ON level USING count(*); DROP VIEW logs" },
    { name: "CREATE of a PIVOT", sql: "CREATE TABLE evil AS PIVOT logs ON level USING count(*)" },
    { name: "FOR UPDATE", sql: "SELECT * FROM logs FOR UPDATE" },
    { name: "empty", sql: "" },
    { name: "only a comment", sql: "-- nothing" },
    { name: "a NUL character", sql: "SELECT 1\0; DROP VIEW logs" },
    { name: "VARIANT", sql: "SELECT 1::VARIANT" },
    { name: "sleep_ms", sql: "SELECT sleep_ms(100000)" },
    { name: "pg_sleep", sql: "SELECT pg_sleep(100)" },
    { name: "json_structure", sql: "SELECT json_structure('[1]')" },
    { name: "json_merge_patch", sql: "SELECT json_merge_patch('{}', '{}')" },
    { name: "levenshtein of the engine", sql: "SELECT main.levenshtein('a', 'b')" },
    { name: "levenshtein behind a dot", sql: "SELECT message.levenshtein('b') FROM logs" },
    { name: "a macro that others use", sql: "SELECT mooring_address('::1')" },
    { name: "bitstring", sql: "SELECT bitstring('0101', 2000000000)" },
    { name: "repeat with a large count", sql: "SELECT repeat('x', 100000000)" },
    { name: "repeat behind a dot", sql: "SELECT message.repeat(100000000) FROM logs" },
    { name: "lpad behind a dot", sql: "SELECT message.lpad(100000000, 5) FROM logs" },
    { name: "a refused function behind a dot", sql: "SELECT message.current_setting() FROM logs" },
    { name: "a function of a system schema", sql: "SELECT pg_catalog.upper('x')" },
    { name: "a table function of a schema", sql: "SELECT * FROM pg_catalog.range(3)" },
    { name: "repeat with a computed count", sql: "SELECT repeat('x', severity * 1000000) FROM logs" },
    { name: "lpad with a large count", sql: "SELECT lpad('x', 100000000, 'y')" },
    { name: "list_resize with a large count", sql: "SELECT list_resize([1], 1000000000)" },
    { name: "more text than the limit", sql: `SELECT '${"x".repeat(70_000)}'` },
    {
      name: "deep nesting",
      sql: `SELECT ${"(".repeat(900)}1${")".repeat(900)} + ${"abs(".repeat(400)}1${")".repeat(400)}`,
    },
    { name: "deep subqueries", sql: `SELECT * FROM ${"(SELECT * FROM ".repeat(300)}logs${")".repeat(300)}` },
  ];
}

/** Statements that exhaust the machine. Each may fail or return a few rows. It must end in time and not affect the server. */
export const RESOURCE_ATTACKS: readonly Attack[] = [
  { name: "a long list", sql: "SELECT len(range(1000000000))" },
  { name: "a long list, generated", sql: "SELECT len(generate_series(1, 1000000000))" },
  {
    name: "doubling a text",
    sql: `SELECT length(${"concat(x,x,x,x,x,x,x,x)".replace("x", "y")}) FROM (SELECT repeat('x', 10000) AS x, repeat('x', 10000) AS y, unnest(range(100000)) ORDER BY 1, 3)`,
  },
  {
    name: "texts of 40 MB",
    sql: "SELECT sum(length(s)) FROM (SELECT string_agg(repeat('x', 10000), '') AS s FROM range(4000) a, range(50) b GROUP BY b.range)",
  },
  { name: "sorting a long list", sql: "SELECT list_sort(range(30000000))[1]" },
  { name: "folding a long list", sql: "SELECT list_reduce(range(30000000), (a, b) -> a + b)" },
  { name: "transforming a long list", sql: "SELECT len(list_transform(range(30000000), x -> x::varchar))" },
  { name: "quantile of many", sql: "SELECT quantile_cont(range, 0.5) FROM range(200000000)" },
  { name: "cross join", sql: "SELECT count(*) FROM range(10000000) a, range(1000000) b WHERE a.range + b.range = 7" },
  {
    name: "endless recursion",
    sql: "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t",
  },
  { name: "sorting many", sql: "SELECT * FROM range(300000000) ORDER BY hash(range) LIMIT 10 OFFSET 1000000" },
  { name: "grouping many", sql: "SELECT range, count(*) FROM range(300000000) GROUP BY range LIMIT 1" },
  {
    name: "window over many",
    sql: "SELECT max(s) FROM (SELECT sum(range) OVER (ORDER BY hash(range)) AS s FROM range(100000000))",
  },
  { name: "list of everything", sql: "SELECT len(list(md5(range::varchar))) FROM range(100000000)" },
  { name: "a wide format", sql: "SELECT length(printf('%999999999d', 1))" },
  { name: "a wide placeholder", sql: "SELECT length(format('{:>999999999}', 'x'))" },
  {
    name: "many columns",
    sql: `SELECT ${Array.from({ length: 4000 }, (_, i) => `range+${i}`).join(",")} FROM range(100000)`,
  },
  { name: "many unions", sql: Array.from({ length: 150 }, () => "SELECT * FROM range(100000)").join(" UNION ALL ") },
  { name: "more unions", sql: Array.from({ length: 3000 }, () => "SELECT 1").join(" UNION ALL ") },
  { name: "deep JSON by a template", sql: "SELECT json_type(concat(repeat('[', 10000), repeat(']', 10000))::JSON)" },
  {
    name: "json_tree of deep JSON",
    sql: "SELECT count(*) FROM json_tree(concat(repeat('[', 10000), repeat(']', 10000)))",
  },
  {
    name: "deep JSON, transformed",
    sql: "SELECT from_json(concat(repeat('[', 10000), repeat(']', 10000)), '[\"JSON\"]')",
  },
  {
    name: "a regular expression with counts",
    sql: "SELECT regexp_matches(repeat('a', 10000), '((a{1,100}){1,100}){1,10}')",
  },
  {
    name: "aggregating text that doubles",
    sql: "WITH RECURSIVE t(a, n) AS (SELECT 'xxxxxxxx', 0 UNION ALL SELECT a || a, n + 1 FROM t WHERE n < 40) SELECT max(length(a)) FROM t",
  },
  {
    name: "constant folding that never ends",
    sql: "SELECT list_reduce(list_transform(range(3000), x -> list_sum(list_transform(range(100000), y -> y * x))), (a, b) -> a + b)",
  },
  { name: "a map of many", sql: "SELECT cardinality(map(range(10000000), range(10000000)))" },
  {
    name: "an array product",
    sql: "SELECT count(*) FROM (SELECT unnest(range(1000000)) AS a) x, (SELECT unnest(range(1000000)) AS b) y, (SELECT unnest(range(1000)) AS c) z WHERE a * b * c = 5",
  },
  { name: "a huge power", sql: "SELECT length((10::hugeint ** 38)::varchar), factorial(33), 2 ** 1e308" },
  { name: "all rows of a wide product", sql: "SELECT * FROM range(100000000) a, range(10) b" },
];
