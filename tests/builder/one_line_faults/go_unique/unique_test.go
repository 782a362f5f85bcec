package example

import (
	"reflect"
	"testing"
)

func TestUnique(t *testing.T) {
	got := Unique([]int{3, 1, 3, 2, 1})
	if !reflect.DeepEqual(got, []int{3, 1, 2}) {
		t.Errorf("Unique([3 1 3 2 1]) = %v, want [3 1 2]", got)
	}
}
