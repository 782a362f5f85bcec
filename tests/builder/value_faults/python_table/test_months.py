import unittest

from months import days_in


class DaysTest(unittest.TestCase):
    def test_march(self):
        self.assertEqual(days_in("March"), 31)

    def test_june(self):
        self.assertEqual(days_in("June"), 30)

    def test_december(self):
        self.assertEqual(days_in("December"), 31)
