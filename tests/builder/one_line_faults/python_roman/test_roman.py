import unittest

from roman import number_of


class RomanTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(number_of("I"), 1)

    def test_four(self):
        self.assertEqual(number_of("IV"), 4)

    def test_year(self):
        self.assertEqual(number_of("MCMXCIV"), 1994)
