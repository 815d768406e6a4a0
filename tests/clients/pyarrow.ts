import { pythonClient } from "./python.ts";

export const pyarrow = pythonClient(
  "pyarrow",
  "pyarrow_steps.py",
  ["pyarrow"],
  [
    "make a bucket",
    "write a partitioned Parquet dataset, and read it with a filter",
    "write and read a large file as a stream",
    "list, copy, move and delete",
    "delete the bucket",
  ],
);
