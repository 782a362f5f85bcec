int count_of(const char *text, char wanted);
