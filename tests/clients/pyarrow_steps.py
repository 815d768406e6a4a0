"""pyarrow's file system over S3, which is the AWS SDK for C++."""

import urllib.parse

import pyarrow
import pyarrow.dataset
from pyarrow import fs

from steps import LARGE_BYTES, PLACE, content_of, main, step

BUCKET = PLACE["bucket"]
url = urllib.parse.urlsplit(PLACE["url"])
s3 = fs.S3FileSystem(
    access_key=PLACE["accessKeyId"],
    secret_key=PLACE["secretAccessKey"],
    region=PLACE["region"],
    scheme=url.scheme,
    endpoint_override=url.netloc,
    allow_bucket_creation=True,
    allow_bucket_deletion=True,
    tls_ca_file_path=PLACE["caFile"],
)


@step("make a bucket")
def make_bucket():
    s3.create_dir(BUCKET)
    assert s3.get_file_info(BUCKET).type == fs.FileType.Directory


@step("write a partitioned Parquet dataset, and read it with a filter")
def dataset():
    table = pyarrow.table({"n": range(10_000), "kind": [f"k{n % 4}" for n in range(10_000)]})
    place = BUCKET + "/dataset"
    pyarrow.dataset.write_dataset(table, place, filesystem=s3, format="parquet", partitioning=["kind"], partitioning_flavor="hive")
    read = pyarrow.dataset.dataset(place, filesystem=s3, format="parquet", partitioning="hive")
    assert read.count_rows() == 10_000
    some = read.to_table(filter=(pyarrow.dataset.field("kind") == "k3") & (pyarrow.dataset.field("n") < 100))
    assert sorted(some["n"].to_pylist()) == list(range(3, 100, 4))


@step("write and read a large file as a stream")
def large():
    content = content_of(LARGE_BYTES)
    with s3.open_output_stream(BUCKET + "/large", metadata={"Content-Type": "text/x"}) as stream:
        for at in range(0, len(content), 1_000_000):
            stream.write(content[at : at + 1_000_000])
    with s3.open_input_stream(BUCKET + "/large") as stream:
        assert stream.read() == content
    with s3.open_input_file(BUCKET + "/large") as file:
        assert file.size() == LARGE_BYTES
        assert file.read_at(100, 12_345_678) == content[12_345_678:12_345_778]


@step("list, copy, move and delete")
def files():
    s3.create_dir(BUCKET + "/directory/ü")
    with s3.open_output_stream(BUCKET + "/directory/ü/a b") as stream:
        stream.write(b"content")
    s3.copy_file(BUCKET + "/directory/ü/a b", BUCKET + "/directory/copy")
    s3.move(BUCKET + "/directory/copy", BUCKET + "/directory/moved")
    found = s3.get_file_info(fs.FileSelector(BUCKET + "/directory", recursive=True))
    assert sorted(info.path for info in found) == [f"{BUCKET}/directory/{name}" for name in ("moved", "ü", "ü/a b")]
    s3.delete_dir(BUCKET + "/directory")
    assert s3.get_file_info(BUCKET + "/directory/moved").type == fs.FileType.NotFound


@step("delete the bucket")
def remove():
    s3.delete_dir(BUCKET)
    assert s3.get_file_info(BUCKET).type == fs.FileType.NotFound


main()
