package weekday

import "testing"

func TestName(t *testing.T) {
	for day, want := range map[int]string{0: "Sunday", 3: "Wednesday", 4: "Thursday", 13: "Saturday"} {
		if got := Name(day); got != want {
			t.Errorf("Name(%d) = %q, want %q", day, got, want)
		}
	}
}
