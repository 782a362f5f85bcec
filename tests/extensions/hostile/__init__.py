"""Extensions that mean harm, each a file of its own; `test_hostile.py` says what each must not reach."""
