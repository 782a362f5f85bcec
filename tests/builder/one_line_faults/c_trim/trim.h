void trim(char *text);
