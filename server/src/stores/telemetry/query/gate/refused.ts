/**
 * The functions of DuckDB 1.5.5 that were reviewed and refused, by reason. The caller gets the reason. A name that ends in
 * `*` stands for every name with this beginning.
 */
const REFUSED = {
  "it reads files": `glob parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_scan parquet_schema
    read_* sniff_csv seq_scan`,
  "it runs SQL or a plan that is given as a value":
    "query query_table json_execute_serialized_sql json_serialize_plan json_serialize_sql json_deserialize_sql sql_auto_complete",
  // Both are macros over query_table; the aggregates `histogram` and `list_histogram` remain.
  "it reads a table by the name in a string": "histogram_values",
  "it reads memory at an address": "arrow_scan arrow_scan_dumb",
  "it shows settings or the state of the engine": `check_peg_parser current_catalog current_connection_id current_database current_query current_query_id current_role
    current_schema current_schemas current_setting current_transaction_id current_user duckdb_* get_block_size getvariable icu_calendar_names in_search_path
    parse_duckdb_log_message pg_timezone_names pragma_* session_user stats summary test_all_types test_vector_types txid_current user vector_type version which_secret`,
  "it shows the catalog":
    "col_description format_pg_type format_type get_type has_* inet_* map_to_pg_oid obj_description pg_* shobj_description",
  "it changes the engine's state": `checkpoint currval disable_* enable_* force_checkpoint nextval setseed truncate_duckdb_logs write_log
    add_parquet_key all_profiling_output collations copy_database database_list database_size extension_versions functions import_database metadata_info platform
    show show_databases show_tables show_tables_expanded storage_info table_info user_agent verify_external verify_fetch_row verify_parallelism verify_serializer`,
  "it only waits": "sleep_ms pg_sleep",
  "it can't be interrupted on long texts":
    "levenshtein damerau_levenshtein editdist3 jaro_similarity jaro_winkler_similarity",
  "its memory can't be bounded": "bitstring bitstring_agg reservoir_quantile repeat_row",
  "it is not safe on deeply nested JSON": "json_structure json_group_structure json_merge_patch variant_*",
  "it is for the engine's internal use": `__internal_* alias can_cast_implicitly cast_to_type combine constant_or_null create_sort_key error finalize icu_collate_* icu_sort_key make_type
    remap_struct replace_type st_* switch timetz_byte_comparable`,
} as const;

const entries = Object.entries(REFUSED).flatMap(([reason, names]) =>
  names.split(/\s+/).map((name) => ({ name, reason })),
);
const exact = new Map(entries.filter(({ name }) => !name.endsWith("*")).map(({ name, reason }) => [name, reason]));
const prefixes = entries
  .filter(({ name }) => name.endsWith("*"))
  .map(({ name, reason }) => ({ prefix: name.slice(0, -1), reason }));

/** Returns why a function is refused, or undefined for a name that this version of the engine does not have. */
export function refusalReason(name: string): string | undefined {
  return exact.get(name) ?? prefixes.find(({ prefix }) => name.startsWith(prefix))?.reason;
}
