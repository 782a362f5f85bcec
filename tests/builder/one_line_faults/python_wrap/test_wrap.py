from wrap import wrapped


def test_short():
    assert wrapped("a b", 10) == ["a b"]


def test_exact():
    assert wrapped("aaa bbb cc", 6) == ["aaa", "bbb cc"]


def test_empty():
    assert wrapped("", 5) == []
