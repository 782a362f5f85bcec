#include "trim.h"

#include <ctype.h>
#include <string.h>

/* Removes white space at both ends, in place. */
void trim(char *text) {
    size_t start = 0, end = strlen(text);
    while (start < end && isspace((unsigned char)text[start]))
        start++;
    while (end > start && isspace((unsigned char)text[end]))
        end--;
    memmove(text, text + start, end - start);
    text[end - start] = '\0';
}
