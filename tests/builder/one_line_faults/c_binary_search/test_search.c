#include "search.h"

#include <assert.h>

int main(void) {
    const int values[] = {1, 3, 5, 7};
    assert(place_of(values, 4, 3) == 1);
    assert(place_of(values, 4, 4) == -1);
    assert(place_of(values, 4, 7) == 3);
    return 0;
}
