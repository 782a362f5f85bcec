#include "dial.h"

/* The key of a telephone for each letter from a to z. */
static const char keys[] = "22233344455566677788889999";

int key_of(char letter) {
    if (letter >= 'A' && letter <= 'Z') {
        letter = letter - 'A' + 'a';
    }
    return keys[letter - 'a'] - '0';
}
