#include "sums.h"

#define SQUARE(x) (x * x)

int square_of_sum(int a, int b) {
    return SQUARE(a + b);
}
