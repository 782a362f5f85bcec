#include "trim.h"

#include <stdio.h>
#include <string.h>

int main(void) {
    char text[] = "  two words ";
    trim(text);
    if (strcmp(text, "two words")) {
        printf("test_trim.c:9: trim(\"  two words \") gave \"%s\", expected \"two words\"\n", text);
        return 1;
    }
    return 0;
}
