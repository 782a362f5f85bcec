module weekday

go 1.19
