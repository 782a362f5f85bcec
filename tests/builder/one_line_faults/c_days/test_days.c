#include "days.h"

#include <assert.h>

int main(void) {
    assert(days_in(2023) == 365);
    assert(is_leap(2000));
    assert(!is_leap(1900));
    return 0;
}
