import unittest

from clock import counter, even


class CounterTest(unittest.TestCase):
    def setUp(self):
        self.next = counter(10)

    def test_first(self):
        self.assertEqual(self.next(), 10)

    def test_following(self):
        self.next()
        self.assertEqual(self.next(), 11)

    def test_even(self):
        self.assertEqual([even(), even(), even()], [0, 2, 4])
