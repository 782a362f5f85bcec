package example

import "testing"

func TestSum(t *testing.T) {
	if got := Sum([]int{1, 2, 3, 4}); got != 6 {
		t.Errorf("Sum([1 2 3 4]) = %d, want 6", got)
	}
}
