package example

// Reverse gives the text with its characters in the opposite order.
func Reverse(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes); i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}
