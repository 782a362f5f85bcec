#ifndef DIAL_H
#define DIAL_H

int key_of(char letter);

#endif
