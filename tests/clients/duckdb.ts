import { pythonClient } from "./python.ts";

export const duckdb = pythonClient(
  "DuckDB httpfs",
  "duckdb_steps.py",
  ["duckdb", "duckdb_extension_httpfs"],
  [
    "write Parquet, and read it with a filter",
    "write a partitioned directory, and read it by a pattern",
    "read and write CSV",
  ],
);
