"""DuckDB, which reads and writes by its httpfs extension."""

import glob
import os
import urllib.parse

import boto3
import duckdb
import duckdb_extension_httpfs

from steps import PLACE, main, step

BUCKET = PLACE["bucket"]
url = urllib.parse.urlsplit(PLACE["url"])
directory = os.path.dirname(duckdb_extension_httpfs.__file__)
[extension] = glob.glob(f"{directory}/extensions/v{duckdb.__version__}/httpfs.duckdb_extension")
database = duckdb.connect()
database.execute(f"LOAD '{extension}'")
database.execute(
    f"""CREATE SECRET (TYPE s3, KEY_ID '{PLACE["accessKeyId"]}', SECRET '{PLACE["secretAccessKey"]}', REGION '{PLACE["region"]}',
    ENDPOINT '{url.netloc}', URL_STYLE 'path', USE_SSL {url.scheme == "https"})"""
)
if PLACE["caFile"]:
    database.execute(f"SET ca_cert_file = '{PLACE['caFile']}'")
    database.execute("SET enable_server_cert_verification = true")


def rows(sql):
    return database.execute(sql).fetchall()


@step("write Parquet, and read it with a filter")
def parquet():
    boto3.client("s3", endpoint_url=PLACE["url"]).create_bucket(Bucket=BUCKET)  # DuckDB creates no buckets
    rows(f"COPY (SELECT n, 'kind ' || n % 7 AS kind, hash(n) AS h FROM range(1000000) t(n)) TO 's3://{BUCKET}/n.parquet'")
    assert rows(f"SELECT count(*), sum(n)::BIGINT FROM 's3://{BUCKET}/n.parquet' WHERE kind = 'kind 3'") == [(142857, 71428357143)]
    assert rows(f"SELECT h = hash(n) FROM 's3://{BUCKET}/n.parquet' WHERE n = 654321") == [(True,)]


@step("write a partitioned directory, and read it by a pattern")
def partitioned():
    rows(f"COPY (SELECT n, n % 5 AS p FROM range(1000) t(n)) TO 's3://{BUCKET}/parts' (FORMAT parquet, PARTITION_BY (p))")
    assert rows(f"SELECT count(*) FROM read_parquet('s3://{BUCKET}/parts/*/*.parquet') WHERE p = 2") == [(200,)]
    assert len(rows(f"SELECT file FROM glob('s3://{BUCKET}/parts/**')")) == 5


@step("read and write CSV")
def csv():
    rows(f"COPY (SELECT n, 'ü & <' AS text FROM range(3) t(n)) TO 's3://{BUCKET}/a b.csv'")
    assert rows(f"SELECT * FROM 's3://{BUCKET}/a b.csv'") == [(n, "ü & <") for n in range(3)]


main()
