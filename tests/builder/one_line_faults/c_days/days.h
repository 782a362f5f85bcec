int is_leap(int year);
int days_in(int year);
