#include "dial.h"

#include <assert.h>

int main(void) {
    assert(key_of('a') == 2);
    assert(key_of('P') == 7);
    assert(key_of('s') == 7);
    assert(key_of('z') == 9);
    return 0;
}
