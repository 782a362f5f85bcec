#ifndef SUMS_H
#define SUMS_H

int square_of_sum(int a, int b);

#endif
