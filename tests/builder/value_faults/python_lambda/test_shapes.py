import unittest

from shapes import area, is_square, perimeter


class ShapesTest(unittest.TestCase):
    def test_area(self):
        self.assertEqual(area(2, 3), 6)

    def test_perimeter(self):
        self.assertEqual(perimeter(2, 3), 10)

    def test_square(self):
        self.assertTrue(is_square(2, 2))
