package weekday

var names = []string{"Sunday", "Monday", "Tuesday", "Thursday", "Wednesday", "Friday", "Saturday"}

// Name says what a day of the week is called; Sunday is 0.
func Name(day int) string {
	return names[day%7]
}
