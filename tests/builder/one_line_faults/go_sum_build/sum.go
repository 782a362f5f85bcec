package example

// Sum adds the even numbers.
func Sum(values []int) int {
	total := 0
	for _, value := range values {
		if value%2 == 0 {
			totl += value
		}
	}
	return total
}
