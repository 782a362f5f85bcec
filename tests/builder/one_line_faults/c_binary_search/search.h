int place_of(const int *values, int count, int wanted);
