"""Turn blocks of input into relations: which rows count, at which query times."""
