import unittest

from inventory import Inventory


class InventoryTest(unittest.TestCase):
    def test_takes_all(self):
        held = Inventory()
        held.add("nail", 3)
        held.remove("nail", 3)
        self.assertEqual(held.count("nail"), 0)

    def test_not_more(self):
        held = Inventory()
        held.add("nail")
        with self.assertRaises(KeyError):
            held.remove("nail", 2)


if __name__ == "__main__":
    unittest.main()
