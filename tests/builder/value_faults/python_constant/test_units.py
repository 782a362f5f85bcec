import unittest

import units


class UnitsTest(unittest.TestCase):
    def test_day(self):
        self.assertEqual(units.SECONDS_PER_DAY, 86_400)

    def test_mile(self):
        self.assertEqual(units.METRES_PER_MILE, 1609.344)
