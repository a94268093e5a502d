def test_an_unknown_paper_is_named_with_those_that_there_are(mmwemu, tmp_path):
    code, _, err = mmwemu("reproduce", "hurtig2018")
    assert code == 2
    assert "paper hurtig2018: is not registered; there are: chen2020, hurtig2019" in err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_refused(mmwemu, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = mmwemu("reproduce", "hurtig2019", "-o", "file/below")
    assert code == 2
    assert "file/below: cannot be made: Not a directory" in err
