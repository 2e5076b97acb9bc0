"""The bench that switches off each safety rule finds all of them."""

import pytest

from tests.bench.mutations import MUTATIONS, ROOT, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.rule)
def test_what_a_mutation_switches_off_stands_where_it_says(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text("utf-8").count(mutation.line) == 1
    assert all((ROOT / path).is_file() for path in mutation.tests.split())
