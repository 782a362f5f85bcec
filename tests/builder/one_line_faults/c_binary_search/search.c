#include "search.h"

/* The place of `wanted` in sorted values; -1 where it is not among them. */
int place_of(const int *values, int count, int wanted) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (values[middle] == wanted)
            return middle;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}
