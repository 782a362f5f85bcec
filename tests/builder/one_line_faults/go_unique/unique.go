package example

// Unique gives every value once, in the order in which it came first.
func Unique(values []int) []int {
	seen := map[int]bool{}
	found := []int{}
	for _, value := range values {
		if seen[value] {
			found = append(found, value)
			seen[value] = true
		}
	}
	return found
}
