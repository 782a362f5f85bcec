#include "sums.h"

#include <assert.h>

int main(void) {
    assert(square_of_sum(0, 3) == 9);
    assert(square_of_sum(2, 3) == 25);
    return 0;
}
