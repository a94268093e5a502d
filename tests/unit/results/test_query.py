import pytest

from mmwemu.core.errors import InputError
from mmwemu.results import collection
from mmwemu.results.query import query
from tests.kept_results import make_results


@pytest.fixture
def folders(tmp_path):
    make_results(tmp_path / "it's a", 1e6, 2e6)
    make_results(tmp_path / "b", 9e6)
    return collection.find(tmp_path)[0]


def test_all_folders_are_one_table(folders, tmp_path):
    found = query("select folder, count(*) n, max(goodput_bps) most from runs group by all order by n", folders)
    assert found["folder"].tolist() == [str(tmp_path / "b"), str(tmp_path / "it's a")]
    assert (found["n"].tolist(), found["most"].tolist()) == ([1, 2], [9e6, 2e6])
    joined = "select sum(delivered_bytes) total from link join runs using (folder, run) where goodput_bps > 1e6"
    assert query(joined, folders)["total"].tolist() == [60]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("selec 1", r"query: Parser Error: syntax error at or near \"selec\"$"),
        ("select x from runs", "query: Binder Error.*x"),
        ("select * from tcp", "query: Catalog Error: Table with name tcp does not exist"),
        ("copy runs to 'x.csv'", "must be one select; results are never changed"),
        ("select 1; select 2", "must be one select"),
        ("", "must be one select"),
    ],
)
def test_a_wrong_query_is_one_line(folders, sql, message):
    with pytest.raises(InputError, match=message) as caught:
        query(sql, folders)
    assert "\n" not in str(caught.value)


def test_a_truncated_table_is_one_line(folders):
    file = folders[0].path / "runs.parquet"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(InputError, match=r"query: .*runs\.parquet"):
        query("select count(*) from runs", folders)
