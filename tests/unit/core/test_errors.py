from mmwemu.core.errors import InputError, InterruptedRunError, InvalidRunError, MissingError, MmwemuError


def test_each_error_has_its_exit_code():
    assert MmwemuError("x").exit_code == 1
    assert InputError("f.toml: key", "is 3; must be 4").exit_code == 2
    assert MissingError("no curl", "install it").exit_code == 3
    assert InvalidRunError("late").exit_code == 4
    assert InterruptedRunError("terminated", 143).exit_code == 143


def test_input_error_says_where_and_what():
    assert str(InputError("f.toml: key", "is 3; must be 4")) == "f.toml: key: is 3; must be 4"
