#include "days.h"

/* Whether a year of the Gregorian calendar has a 29th of February. */
int is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 != 0);
}

int days_in(int year) {
    return is_leap(year) ? 366 : 365;
}
