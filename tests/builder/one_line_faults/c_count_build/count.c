#include "count.h"

/* How often a character comes in a text. */
int count_of(const char *text, char wanted) {
    int found = 0;
    for (; *text; text++)
        if (*text == wanted)
            found++
    return found;
}
