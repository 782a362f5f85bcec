#include "count.h"

#include <assert.h>

int main(void) {
    assert(count_of("banana", 'a') == 3);
    assert(count_of("", 'a') == 0);
    return 0;
}
