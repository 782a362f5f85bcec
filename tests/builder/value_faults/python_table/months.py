"""Days of months."""

DAYS = {
    "january": 31,
    "february": 28,
    "march": 31,
    "april": 30,
    "may": 31,
    "june": 31,
    "july": 31,
    "august": 31,
    "september": 30,
    "october": 31,
    "november": 30,
    "december": 31,
}


def days_in(month):
    """How many days a month has in a year that is no leap year."""
    return DAYS[month.lower()]
